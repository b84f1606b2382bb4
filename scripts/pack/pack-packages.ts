import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packPublished } from './pack-published.ts';

// `npm run pack`: what can be installed from a registry, as npm packs it: the CLI with all that it needs, and the libraries.
//   --out <folder>   where to (default: dist/packages); it is emptied

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist/packages' } } });
const out = resolve(values.out);
rmSync(out, { recursive: true, force: true });
for (const { archive } of await packPublished(root, out)) process.stdout.write(`${archive}\n`);
