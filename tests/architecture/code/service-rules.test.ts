import { describe, expect, it } from 'vitest';
import { listShippedFiles, repositoryRoot } from '../source/source-files.ts';
import { parseSource, readSourceFile } from '../source/syntax-tree.ts';
import { findTablesWrittenByText, listTables } from '../tables/table-writes.ts';
import { findServiceViolations } from './service-rules.ts';

const files = listShippedFiles(repositoryRoot)
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readSourceFile(repositoryRoot, path));
const services = files.filter(({ path }) => path.startsWith('services/'));
const tables = listTables(files);

describe('the services', () => {
  it('were read', () => {
    expect(services.length).toBeGreaterThan(0);
    expect(tables.length).toBeGreaterThan(0);
  });

  it('know a status of HTTP at their edges alone, and never ask over HTTP', () => {
    const found = services.flatMap(findServiceViolations);
    expect(found.map(({ path, line, found: what }) => `${path}:${line} ${what}`)).toEqual([]);
  });

  it('and all else outside of the database write its tables by its functions alone', () => {
    const outside = files.filter(({ path }) => !path.startsWith('packages/database/'));
    const writing = outside.filter((file) => findTablesWrittenByText(file, tables).length > 0);
    expect(writing.map(({ path }) => path)).toEqual([]);
  });
});

describe('planted', () => {
  const find = (path: string, code: string) => findServiceViolations(parseSource(path, code));
  const useCase = 'services/ingest/src/session/planted.ts';

  it.each([
    'answer({ status: 404, body });',
    'answer({ statusCode: 503 });',
    'if (answer.status === 404) stop();',
    'if (500 <= answer.status) stop();',
    "await fetch('http://elsewhere');",
    "await globalThis.fetch('http://elsewhere');",
  ])('in a use case it is found: %s', (code) => {
    expect(find(useCase, code)).toHaveLength(1);
  });

  it('a call of fetch is found at an edge too, a status is not', () => {
    expect(find('services/ingest/src/http/planted.ts', "await fetch('http://elsewhere');")).toHaveLength(1);
    expect(find('services/ingest/src/http/planted.ts', 'answer({ status: 404 });')).toEqual([]);
  });

  it.each(["answer({ status: 'failed' });", 'answer({ attempts: 404 });', "if (row.status === 'queued') go();"])(
    'what is no status is none: %s',
    (code) => {
      expect(find(useCase, code)).toEqual([]);
    },
  );

  it.each(["await tx.execute('delete from blob');", "await run(`update delivery set status = 'failed'`);"])(
    'a write of a table in a service is found: %s',
    (code) => {
      expect(findTablesWrittenByText(parseSource(useCase, code), tables)).toHaveLength(1);
    },
  );
});
