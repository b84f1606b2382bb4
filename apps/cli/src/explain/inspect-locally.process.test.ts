import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecordingSample } from '@attache/media/fixtures/recordings';
import { afterAll, expect, it } from 'vitest';
import { inspectLocally } from './inspect-locally.ts';

const folder = mkdtempSync(join(tmpdir(), 'attache-explain-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['notes.md', Buffer.from('# words\n'), { mimeType: 'text/markdown', kind: 'text', warnings: [] }],
  ['table.csv', Buffer.from('a,b\n'), { mimeType: 'text/csv', kind: 'text', warnings: [] }],
  ['clip.mp4', readRecordingSample('mp4-h264.mp4'), { mimeType: 'video/mp4', facts: { durationMs: 2000, width: 64 } }],
  [
    'noise.mp4',
    Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * index * 7919) >> 3)),
    { mimeType: 'application/octet-stream', kind: 'unsupported', warnings: [{ code: 'type_differs_from_declared' }] },
  ],
])('gives %s the type that an upload would have [DL-10 RP-05]', async (name, content, expected) => {
  writeFileSync(join(folder, name), content);
  expect(await inspectLocally(join(folder, name))).toMatchObject({ status: 'ready', ...expected });
});
