import { constants, PerformanceObserver } from 'node:perf_hooks';
import { expect, it, vi } from 'vitest';
import { createYoungCollection } from './young-collection.ts';

const MIB = 1024 * 1024;

it('comes after every so many bytes, of one body or of many', () => {
  let count = 0;
  const onBytes = createYoungCollection(16 * MIB, () => {
    count += 1;
  });
  onBytes(16 * MIB - 1);
  expect(count).toBe(0);
  onBytes(1);
  expect(count).toBe(1);
  for (let passed = 0; passed < 40 * MIB; passed += 64 * 1024) onBytes(64 * 1024);
  expect(count).toBe(3);
  for (let passed = 0; passed < 8 * MIB; passed += 1024) onBytes(1024);
  expect(count).toBe(4);
});

it('is asked for, and is of the young generation, unless V8 is about to mark its heap anyway', async () => {
  const kinds: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number; flags: number } }[])
      if (detail.flags === constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) kinds.push(detail.kind);
  });
  observer.observe({ entryTypes: ['gc'] });
  const onBytes = createYoungCollection(16 * MIB);
  for (let asked = 0; asked < 20; asked += 1) onBytes(16 * MIB);
  await vi.waitUntil(() => kinds.length >= 20, { timeout: 60_000 });
  observer.disconnect();
  expect(kinds).toHaveLength(20);
  expect(kinds.filter((kind) => kind === constants.NODE_PERFORMANCE_GC_MINOR).length).toBeGreaterThanOrEqual(15);
});

it('leaves the program without a `gc` of its own', () => {
  createYoungCollection(16 * MIB)(16 * MIB);
  expect(globalThis).not.toHaveProperty('gc');
});
