import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../source/source-files.ts';

const folder = join(repositoryRoot, 'packages/contracts/src');
const sources = readdirSync(folder, { encoding: 'utf8', recursive: true })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(folder, name), 'utf8'));

// What callers of the API see.
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

it.each(publicSchemas)(
  '%sSchema says who makes and who uses it, whether it may hold base64 or paths, and whether it may be logged [DL-59]',
  (name) => {
    const pattern = new RegExp(`(/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/)\\nexport const ${name}Schema\\b`);
    const [comment = ''] = sources.flatMap((source) => pattern.exec(source)?.[1] ?? []);
    expect(comment).toMatch(/Made by/);
    expect(comment).toMatch(/(?:read|executed) by/);
    expect(comment).toMatch(/base64/);
    expect(comment).toMatch(/path/);
    expect(comment).toMatch(/logged|safe to log/);
  },
);
