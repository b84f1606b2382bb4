import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeDrift, findLastRun, type KeptRun } from './describe-drift.ts';
import { compare, type Result } from './result.ts';
import { summarise } from './sample.ts';

const line = (what: string, product: number, floor?: number): Result =>
  compare({ what, unit: 'ms' }, { product: [product], ...(floor !== undefined && { floor: [floor] }) });

const kept: KeptRun = {
  startedAt: '2026-11-22T00:04:10.000Z',
  isQuick: false,
  results: {
    embedded: [
      { what: 'an upload', product: summarise([10]), ratio: 2 },
      { what: 'a slower machine', product: summarise([10]), ratio: 2 },
      { what: 'memory', product: summarise([100]) },
    ],
  },
};

async function makeFolder(runs: Record<string, object>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'attache-drift-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, run] of Object.entries(runs)) await writeFile(join(folder, name), JSON.stringify(run));
  return folder;
}

describe('drift', () => {
  it('is told where the ratio is another by a tenth, or the figure of what has no floor', () => {
    const results = { embedded: [line('an upload', 12, 5), line('a slower machine', 20, 10), line('memory', 50)] };
    expect(describeDrift(results, kept)).toEqual([
      'Compared with the run of 2026-11-22T00:04: 2 differ by a tenth or more, 1 do not, 0 are new.',
      '  embedded: an upload: ratio 2.00 → 2.40 (+20 %), +20 % by itself',
      '  embedded: memory: −50 % by itself',
    ]);
  });

  it('names what the kept run has not measured', () => {
    expect(describeDrift({ hosted: [line('an upload', 1)] }, kept).slice(1)).toEqual(['  new: hosted: an upload']);
  });

  it('tells measurements of one name apart by their order', () => {
    const twice = {
      ...kept,
      results: { embedded: [10, 20].map((p50) => ({ what: 'per kB', product: summarise([p50]) })) },
    };
    expect(describeDrift({ embedded: [line('per kB', 10), line('per kB', 20)] }, twice)).toHaveLength(1);
    expect(describeDrift({ embedded: [line('per kB', 10), line('per kB', 40)] }, twice).slice(1)).toEqual([
      '  embedded: per kB (2): +100 % by itself',
    ]);
  });

  it('is taken against the newest whole run of the same stacks', async () => {
    const folder = await makeFolder({
      '1.json': { ...kept, startedAt: 'old' },
      '2.json': { ...kept, startedAt: 'whole' },
      '3.json': { ...kept, startedAt: 'quick', isQuick: true },
      '4.json': { ...kept, startedAt: 'of one measurement', only: 'gate' },
      '5.json': { ...kept, startedAt: 'of the other stack', results: { hosted: [] } },
    });
    expect((await findLastRun(folder, ['embedded']))?.startedAt).toBe('whole');
    expect(await findLastRun(folder, ['embedded', 'hosted'])).toBeUndefined();
  });
});
