import { resolveCapability, type TransportRow } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { describe, expect, it } from 'vitest';
import { combineRows } from './combine-rows.ts';

const combinations = combineRows(catalog);

function providersWith(transport: string, program?: string): string[] {
  const found = combinations.filter((each) => {
    return each.transport.transport === transport && each.transport.program === program;
  });
  return [...new Set(found.map(({ provider }) => provider))].toSorted();
}

describe('ways to a model and models', () => {
  it.each([
    ['claude-stream-json', undefined, ['anthropic']],
    ['acp', 'claude-agent-acp', ['anthropic']],
    ['anthropic', undefined, ['anthropic']],
    ['codex-app-server', undefined, ['openai']],
    ['codex-exec', undefined, ['openai']],
    ['acp', 'codex-acp', ['openai']],
    ['openai-responses', undefined, ['openai']],
    ['openai-chat', undefined, ['openai']],
    ['acp', 'gemini', ['google']],
    ['google', undefined, ['google']],
    ['opencode-serve', undefined, ['anthropic', 'google', 'openai']],
    ['opencode-run', undefined, ['anthropic', 'google', 'openai']],
    ['acp', 'opencode', ['anthropic', 'google', 'openai']],
    ['pi-rpc', undefined, ['anthropic', 'google', 'openai']],
    ['acp', undefined, ['example', 'unknown']],
  ])('%s %s leads to %j', (transport, program, providers) => {
    expect(providersWith(transport, program)).toEqual(providers);
  });

  it('stand together once, each row of the catalog at least once', () => {
    const names = combinations.map(({ transport, provider, model }) => {
      return [transport.transport, transport.program, provider, model?.modelPattern].join(' ');
    });
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(combinations.map(({ transport }) => transport)).size).toBe(catalog.transports.length);
    expect(new Set(combinations.flatMap(({ model }) => model ?? [])).size).toBe(catalog.models.length);
  });

  it('are found again by the planner: the rows that are combined are those that it reads [DL-19 DL-100]', () => {
    for (const { transport: row, provider, model } of combinations) {
      const { image } = resolveCapability(
        {
          target: { runtime: row.transport, provider, model: model?.modelPattern ?? 'unknown-model' },
          command: row.program === undefined ? [] : [row.program],
          declared: undefined,
          profileCapability: undefined,
          lineBytes: undefined,
        },
        catalog,
      );
      expect(image.evidence?.transport).toBe(row.evidence);
      if (model !== undefined) expect(image.evidence?.model).toBe(model.evidence);
    }
  });

  it('are not guessed: a program that nobody knows stands there once, with no model', () => {
    const { providers: _, ...known } = catalog.transports[0] as TransportRow;
    const transport: TransportRow = { ...known, transport: 'acp', program: 'my-agent' };
    expect(combineRows({ transports: [transport], models: catalog.models })).toEqual([
      { transport, provider: 'unknown', model: undefined },
    ]);
  });
});
