import { describe, expect, it } from 'vitest';
import { createStderrTail, DIAGNOSTIC_BYTES } from './stderr-tail.ts';

const redact = (text: string) => text.replaceAll(/sk-\w+/g, '[redacted]');

describe('standard error of a child', () => {
  it('is kept to its last 8 KiB, whole lines', () => {
    const tail = createStderrTail(redact);
    for (let line = 0; line < 10_000; line += 1) tail.append(Buffer.from(`line ${line}\n`));
    const text = tail.text();
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(DIAGNOSTIC_BYTES);
    expect(text.endsWith('line 9999')).toBe(true);
    expect(text).toMatch(/^line \d+\n|^\d+\n/);
  });

  it('is given out redacted, also where a secret lies across the cut [DL-67 DL-82]', () => {
    const tail = createStderrTail(redact);
    tail.append(Buffer.from(`key sk-${'a'.repeat(20_000)} end\nlast`));
    expect(tail.text()).toBe('end\nlast');
    const short = createStderrTail(redact);
    short.append(Buffer.from('key sk-abc\u001b[31m red\u0000\u0007'));
    expect(short.text()).toBe('key [redacted] red');
  });
});
