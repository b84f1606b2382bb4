import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../source/source-files.ts';

const folder = join(repositoryRoot, 'packages/contracts/src');
const sources = readdirSync(folder, { encoding: 'utf8', recursive: true })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(folder, name), 'utf8'));

// The schemas that callers of the API see.
const publicSchemas = [
  ...[
    'agent',
    'session',
    'attachment',
    'variant',
    'capability',
    'tenantOverride',
    'delivery',
    'receipt',
    'deliveryPlan',
  ],
  ...['message', 'part', 'byteReference', 'failure', 'warning', 'problem', 'sessionEvent', 'profile', 'target'],
  ...['apiKey', 'auditEntry'],
];

it('public types say who makes and who uses them, whether they may hold base64 or paths, and whether they may be logged [DL-59]', () => {
  expect(publicSchemas.length).toBeGreaterThan(15);
  expect(publicSchemas.filter((name) => !isDescribed(readComment(name)))).toEqual([]);
});

it.each([
  ['/** Made by ingest, read by callers. No base64, no path; safe to log. */', true],
  ['/** Made by ingest, read by callers. No base64; safe to log. */', false],
  ['', false],
])('%j is enough: %s', (comment, isEnough) => {
  expect(isDescribed(comment)).toBe(isEnough);
});

function readComment(name: string): string {
  const pattern = new RegExp(`(/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/)\\nexport const ${name}Schema\\b`);
  return sources.flatMap((source) => pattern.exec(source)?.[1] ?? [])[0] ?? '';
}

const isDescribed = (comment: string) =>
  [/Made by/, /(?:read|executed) by/, /base64/, /path/, /logged|safe to log/].every((each) => each.test(comment));
