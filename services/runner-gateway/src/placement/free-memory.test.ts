import { expect, it } from 'vitest';
import { AGENT_BYTES, findFreeBytes, readMemoryRoom } from './free-memory.ts';

const meminfo = 'MemTotal:       24000000 kB\nMemFree:         1000000 kB\nMemAvailable:   20000000 kB\n';
const MIB = 1024 * 1024;

it('is what the machine has available, where nothing limits the process', () => {
  expect(findFreeBytes({ meminfo })).toBe(20_000_000 * 1024);
  expect(findFreeBytes({ meminfo, cgroupMax: 'max\n', cgroupCurrent: '5' })).toBe(20_000_000 * 1024);
  expect(findFreeBytes({})).toBe(Number.POSITIVE_INFINITY);
});

it('is what its control group leaves, pages of files that nobody reads counted as free', () => {
  const group = { cgroupMax: `${1024 * MIB}\n`, cgroupCurrent: `${900 * MIB}\n` };
  expect(findFreeBytes({ meminfo, ...group })).toBe(124 * MIB);
  expect(findFreeBytes({ meminfo, ...group, cgroupStat: `anon 1\ninactive_file ${400 * MIB}\nactive_file 2\n` })).toBe(
    524 * MIB,
  );
  expect(findFreeBytes({ meminfo: 'MemAvailable: 1 kB\n', ...group })).toBe(1024);
});

it('counts in agents', () => {
  expect(AGENT_BYTES).toBe(256 * MIB);
  expect(readMemoryRoom()).toBeGreaterThanOrEqual(0);
});
