import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { copyPackages } from './bundle-packages.ts';
import { writeBundle } from './write-bundle.ts';

// `npm run bundle`: the CLI with all its commands as plain JavaScript, which runs without this workspace on Node 24.
//   --out <folder>        where to (default: dist)
//   --packages <a,b>      also copies these packages into its node_modules; `all` is every one that it may need

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: { out: { type: 'string', default: 'dist' }, packages: { type: 'string', default: '' } },
});

const bundle = await writeBundle({ root, out: values.out });
const asked = values.packages === 'all' ? bundle.packages : values.packages.split(',').filter(Boolean);
const copied = copyPackages({ root, names: asked, out: values.out });
const sizeKb = Math.round(bundle.sizeBytes / 1024);
process.stdout.write(`${bundle.fileCount} files, ${sizeKb} kB, in ${values.out}\n`);
process.stdout.write(`packages beside it: ${copied.length > 0 ? copied.join(', ') : 'none'}\n`);
