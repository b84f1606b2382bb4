import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeDocs } from './generated-docs.ts';

// `npm run docs`: writes the documents that are made from the code.

for (const { path, text } of composeDocs()) {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stdout.write(`${path}\n`);
}
