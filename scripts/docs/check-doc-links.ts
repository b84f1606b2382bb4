import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DocLink, findLinks, isLocalTarget, listAnchors } from './doc-links.ts';

// Every relative link of every Markdown file must lead to a file in the repository, and its anchor to a heading there.

const SKIPPED_FOLDERS = new Set(['node_modules', '.git', '.attache', '.turbo', 'coverage']);
const root = fileURLToPath(new URL('../..', import.meta.url));

const documents = listDocuments(root);
const problems = documents.flatMap(checkDocument);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(`${documents.length} documents, ${problems.length} broken links\n`);
if (problems.length > 0 || documents.length === 0) process.exitCode = 1;

function listDocuments(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : listDocuments(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

function checkDocument(path: string): string[] {
  return findLinks(readFileSync(path, 'utf8'))
    .filter(({ target }) => isLocalTarget(target))
    .flatMap((link) => {
      const problem = checkLink(path, link);
      return problem === undefined ? [] : [`${relative(root, path)}:${link.line} ${link.target}: ${problem}`];
    });
}

function checkLink(from: string, { target }: DocLink): string | undefined {
  const [path = '', anchor] = decodeURIComponent(target).split('#');
  const file = path === '' ? from : resolve(path.startsWith('/') ? root : dirname(from), path.replace(/^\//, ''));
  if (relative(root, file).startsWith('..')) return 'leaves the repository';
  if (!existsSync(file)) return 'no such file';
  if (anchor === undefined || anchor === '' || statSync(file).isDirectory() || !file.endsWith('.md')) return undefined;
  return listAnchors(readFileSync(file, 'utf8')).has(anchor) ? undefined : 'no such heading';
}
