import { describe, expect, it } from 'vitest';
import { parseSince } from './add-operator-commands.ts';

describe('a time since when', () => {
  it('is a time, or how long ago it was', () => {
    expect(parseSince('2026-11-22T09:00:00Z')).toBe('2026-11-22T09:00:00.000Z');
    for (const [text, ms] of [
      ['90m', 5_400_000],
      ['2h', 7_200_000],
      ['7d', 604_800_000],
    ] as const) {
      const before = Date.now();
      const since = Date.parse(parseSince(text)) + ms;
      expect(since).toBeGreaterThanOrEqual(before);
      expect(since).toBeLessThanOrEqual(Date.now());
    }
  });

  it.each(['', 'yesterday', '2w', '-2h', '1.5h', '2 h'])('is not %j', (text) => {
    expect(() => parseSince(text)).toThrow('It must be a time');
  });
});
