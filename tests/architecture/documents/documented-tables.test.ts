import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deliveryTransitions } from '@attache/domain';
import { describe, expect, it } from 'vitest';
import { listShippedFiles, repositoryRoot } from '../source/source-files.ts';

const tables = listShippedFiles(repositoryRoot)
  .filter((path) => /^packages\/database\/src\/.*-table\.ts$/.test(path))
  .flatMap((path) => [...readFileSync(join(repositoryRoot, path), 'utf8').matchAll(/pgTable\(\s*'([a-z_]+)'/g)])
  .map(([, name = '']) => name);

describe('the architecture document', () => {
  const document = readFileSync(join(repositoryRoot, 'ARCHITECTURE.md'), 'utf8');
  const rows = document.split('\n').filter((line) => /^\| (content|control) \|/.test(line));
  const listed = rows.flatMap((row) => [...row.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name));

  it('lists every table of the database once, and no other', () => {
    expect(rows).toHaveLength(2);
    expect(listed.toSorted()).toEqual(tables.toSorted());
  });

  it('says of each status of a delivery who moves it there, as the code allows', () => {
    const [, states = ''] = document.split('### States of a delivery');
    const rows = [...states.matchAll(/^\| `(\w+)` \| [^|]* \| ([^|]*) \|$/gm)];
    const names = { ingest: 'ingest', projector: 'projector', 'runner-gateway': 'gateway' };
    for (const [, status = '', movers = ''] of rows) {
      const allowed = deliveryTransitions
        .filter(({ to }) => to === status)
        .map(({ actor }) => names[actor as 'ingest']);
      // A message's acceptance is no move: the delivery begins as queued.
      const named = Object.values(names).filter((name) => movers.includes(name));
      expect([status, named.toSorted()]).toEqual([status, [...new Set(allowed)].toSorted()]);
    }
    expect(rows).toHaveLength(7);
  });
});
