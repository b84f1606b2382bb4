import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packCli } from './pack-cli.ts';
import { packLibrary } from './pack-library.ts';

// `npm run pack`: what can be installed from a registry, as npm packs it: the CLI with all that it needs, and the two libraries.
//   --out <folder>   where to (default: dist/packages); it is emptied

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist/packages' } } });
const out = resolve(values.out);
rmSync(out, { recursive: true, force: true });
for (const name of ['contracts', 'agent-kit'] as const) process.stdout.write(`${packLibrary({ root, out, name })}\n`);
process.stdout.write(`${await packCli({ root, out })}\n`);
