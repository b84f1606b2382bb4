import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Names of the metrics that a file makes, as Prometheus shows them but for `_total`. */
const namesIn = (path: string) =>
  [...read(path).matchAll(/'((?:attache|att|http|process|nodejs)\.[a-z0-9_.]+)'/g)].map(([, name = '']) =>
    name.replaceAll('.', '_'),
  );

it('every metric stands in the document, and no other', () => {
  const listed = [
    ...read('../../../docs/telemetry.md').matchAll(/^\| `([a-z0-9_]+)` \| (?:counter|gauge|histogram) \|/gm),
  ];
  const documented = listed.map(([, name = '']) => name.replace(/_total$/, ''));
  const made = [...namesIn('instruments.ts'), ...namesIn('observe.ts')];
  expect(made.length).toBeGreaterThan(20);
  expect(documented.toSorted()).toEqual(made.toSorted());
});
