import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCodeFiles, repositoryRoot } from '../source/source-files.ts';
import { lintWords } from './lint-words.ts';
import { readComments } from './read-comments.ts';
import { readReplacements } from './word-table.ts';

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
const table = readReplacements(read('CONTRIBUTING.md'));

const atRoot = readdirSync(repositoryRoot).filter((name) => name.endsWith('.md') && name !== 'CONTRIBUTING.md');
const inDocs = readdirSync(join(repositoryRoot, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);

async function lintDocument(path: string, source: string): Promise<string[]> {
  const found = await lintWords(source, '.md', table);
  return found.map(({ line, message }) => `${path}:${line} ${message}`);
}

async function lintComments(path: string, source: string): Promise<string[]> {
  const linted = readComments(path, source).map(async ({ line, text }) => {
    const found = await lintWords(text, '.txt', table);
    return found.map(({ message }) => `${path}:${line} ${message}`);
  });
  return (await Promise.all(linted)).flat();
}

describe('the words of the table in CONTRIBUTING', () => {
  it('are in no document', async () => {
    const found = await Promise.all([...atRoot, ...inDocs].map((path) => lintDocument(path, read(path))));
    expect(found.flat()).toEqual([]);
  });

  it('are in no comment', async () => {
    const found = await Promise.all(listCodeFiles(repositoryRoot).map((path) => lintComments(path, read(path))));
    expect(found.flat()).toEqual([]);
  });

  it('are found where they are planted, and not in code, and not in other words', async () => {
    const document =
      'A lease begins anew.\n\n`begins anew`\n\n| A | goes\n| --- |\n| It goes  on. |\n\nRenewed, canew.';
    expect(await lintDocument('a.md', document)).toEqual([
      expect.stringMatching(/^a\.md:1 "anew": write/),
      expect.stringMatching(/^a\.md:7 "goes on": write/),
    ]);
    const code = "const anew = 'anew';\n// Here it goes\n// on.\n/**\n * Answers the id,\n * anew. The answers.\n */\n";
    expect(await lintComments('a.ts', code)).toEqual([
      expect.stringMatching(/^a\.ts:2 "goes on": write/),
      expect.stringMatching(/^a\.ts:4 "Answers": write/),
      expect.stringMatching(/^a\.ts:4 "anew": write/),
    ]);
  });
});

// The reader meets the subject first: "The part that an agent asked for", not "What an agent receives".
const CLAUSE = /^(Of|By|What|Where|Whoever|Whatever|Whose) /;
const findClauses = (path: string, source: string): string[] =>
  readComments(path, source)
    .filter(({ text }) => CLAUSE.test(text))
    .map(({ line, text }) => `${path}:${line} begins with a clause in place of its subject: ${text}`);

describe('a comment begins with its subject', () => {
  it('everywhere', () => {
    expect(listCodeFiles(repositoryRoot).flatMap((path) => findClauses(path, read(path)))).toEqual([]);
  });

  it('and is found where it is planted with a clause, but not where a line of it begins so', () => {
    const code = "/** Of the bytes that we sent. */\n// The size,\n// By bytes.\nconst word = 'What ';\n";
    expect(findClauses('a.ts', code)).toEqual([expect.stringMatching(/^a\.ts:1 .*: Of the bytes/)]);
  });
});
