import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../../..');

const thing = (number: number) => ({
  id: `thing-${number}`,
  name: `Figures of week ${number}.csv`,
  path: `/reports/2026/week-${number}/figures.csv`,
  sizeBytes: 2_000 + number,
  isNew: number % 2 === 0,
  tags: ['report', 'weekly'],
  note: `What do the figures of week ${number} say of the week before, and what is missing in them?`,
  url: `https://example.org/reports/${number}?range=a%20b&format=csv`,
});

/** Arguments that list so many things, as JSON. */
export function listThings(count: number): string {
  return JSON.stringify({ things: Array.from({ length: count }, (_, index) => thing(index)) });
}

/** The shipped sources of Attaché: files of ordinary code, without any id of an attachment. */
export function readSources(): { path: string; content: string }[] {
  return ['packages', 'services'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !/(^|\/)node_modules\/|\.test\.ts$|\.contract\.ts$|fixture/.test(path))
      .map((path) => ({ path: join(folder, path), content: readFileSync(join(root, folder, path), 'utf8') })),
  );
}

/** Tool calls as agents make them, by what they hold. */
export function describeCalls(): Record<string, string> {
  return {
    'a list of 1,000 things': listThings(1_000),
    'sources, a text each': JSON.stringify({ files: readSources() }),
    'the same list as JSON inside a text': JSON.stringify({ body: listThings(1_000) }),
    'percent-encoded prose': JSON.stringify({
      form: encodeURIComponent('Zahlen für die Woche, größer als zuvor. ').repeat(5_000),
    }),
    'a short command': JSON.stringify({ command: 'git status --short && ls -la src', timeout: 120_000 }),
  };
}
