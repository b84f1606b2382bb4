import { describe, expect, it } from 'vitest';
import { tell, words } from './words.ts';

describe('words to the broker', () => {
  it('ask for a message again, now or after a time [W10]', () => {
    expect(words.nak(0)).toBe('-NAK');
    expect(words.nak(250)).toBe('-NAK {"delay":250000000}');
  });

  it('end a message for a reason of one short line', () => {
    expect(words.term('INVALID_REQUEST')).toBe('+TERM INVALID_REQUEST');
    expect(words.term(`a\r\nPUB x${'y'.repeat(300)}`)).toMatch(/^\+TERM a {2}PUB xy{192}$/);
  });

  it('are lost with a closed connection, without an error', () => {
    const respond = () => {
      throw new Error('closed connection');
    };
    expect(() => tell({ respond }, words.ack)).not.toThrow();
  });
});
