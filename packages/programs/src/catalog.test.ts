import { runtimes, transports } from '@attache/contracts';
import {
  checkCatalog,
  findModelRow,
  findTransportRow,
  matchesModel,
  nameOfModel,
  nameOfTransport,
  type TransportRow,
} from '@attache/domain';
import { describe, expect, it } from 'vitest';
import { catalog } from './catalog.ts';
import { triedPrograms } from './tried-programs.ts';

describe('the catalog', () => {
  it('is sound and versioned [DL-100 BX-05]', () => {
    expect(checkCatalog(catalog)).toEqual([]);
    expect(catalog.version).toMatch(/^\d{4}-\d{2}-\d{2}/);
  });

  it('has a row for every runtime and every format [DL-19 DL-76]', () => {
    for (const name of transports) {
      const row = findTransportRow(catalog, { target: { runtime: name, provider: 'anyone', model: 'm' } });
      expect(row?.transport, name).toBe(name);
    }
    expect(new Set(catalog.transports.map((row) => row.transport))).toEqual(new Set(transports));
    expect(runtimes.every((runtime) => transports.includes(runtime))).toBe(true);
  });

  it.each(catalog.transports.map((row) => [nameOfTransport(row), row] as const))(
    'finds %s by what names it, with what was seen and when [DL-100]',
    (_, row) => {
      const provider = row.providers?.[0] ?? 'anyone';
      const command = row.program === undefined ? [] : [row.program];
      const found = findTransportRow(catalog, { target: { runtime: row.transport, provider, model: 'm' }, command });
      expect(found).toBe(row);
      expect(row.evidence.note).toMatch(/\d+\.\d+|block|digest|sha256/);
    },
  );

  it.each(catalog.models.map((row) => [nameOfModel(row), row] as const))(
    'finds %s by its name, with where it was read and when [DL-100]',
    (_, row) => {
      const name = row.modelPattern.replace(/\*$/, '');
      expect(findModelRow(catalog, { runtime: 'acp', provider: row.provider, model: name })).toBe(row);
      expect(findModelRow(catalog, { runtime: 'acp', provider: 'someone-else', model: name })).toBeUndefined();
    },
  );

  it('matches a model by its whole name or by its start', () => {
    expect(matchesModel('m-1', 'm-1')).toBe(true);
    expect(matchesModel('m-1', 'm-10')).toBe(false);
    expect(matchesModel('m-*', 'm-10')).toBe(true);
    expect(matchesModel('m-*', 'n-10')).toBe(false);
  });

  it('carries what was seen of each agent, and nothing that was seen lost [BX-19]', () => {
    const carried = (runtime: TransportRow['transport'], program?: string, provider = 'gw') => {
      const row = findTransportRow(catalog, { target: { runtime, provider, model: 'm' }, command: [program ?? ''] });
      return (['image', 'document', 'text', 'audio'] as const).map((kind) => row?.kinds[kind].carried).join(' ');
    };
    expect(carried('claude-stream-json')).toBe('yes yes yes no');
    expect(carried('codex-app-server')).toBe('yes no yes yes');
    expect(carried('codex-exec')).toBe('yes no yes no');
    expect(carried('opencode-serve')).toBe('yes yes yes yes');
    expect(carried('opencode-serve', undefined, 'anthropic')).toBe('yes yes yes no');
    expect(carried('opencode-run')).toBe('yes yes yes no');
    expect(carried('pi-rpc')).toBe('yes no yes no');
    expect(carried('acp', 'gemini')).toBe('yes yes yes yes');
    expect(carried('acp', 'claude-agent-acp')).toBe('yes yes yes no');
    expect(carried('acp', 'codex-acp')).toBe('yes no yes no');
    expect(carried('acp', 'opencode')).toBe('yes yes yes no');
    expect(carried('acp', 'some-agent')).toBe('unknown no yes unknown');
    expect(carried('acp', '/opt/bin/codex-acp')).toBe(carried('acp', 'codex-acp'));
  });
});

describe('programs that read files with tools of their own', () => {
  it('are those that were tried, and the bundled agent is none of them [BX-19]', () => {
    const readers = catalog.transports.filter(({ readsFiles }) => readsFiles !== undefined).map(nameOfTransport);
    const tried = triedPrograms.map(({ runtime, profile }) => {
      const [program = ''] = profile.command;
      const row = findTransportRow(catalog, { target: { runtime, provider: 'gw', model: 'm' }, command: [program] });
      return row && nameOfTransport(row);
    });
    expect(readers.toSorted()).toEqual(tried.toSorted());
    expect(readers.length).toBeGreaterThan(5);
  });
});
