import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { composeDocs } from './generated-docs.ts';

// `npm run docs`: writes the documents that are made from the code.

for (const { path, text } of composeDocs()) {
  writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text);
  process.stdout.write(`${path}\n`);
}
