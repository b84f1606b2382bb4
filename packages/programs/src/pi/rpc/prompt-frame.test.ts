import type { DeliverRequest } from '@attache/agent-process';
import { describe, expect, it } from 'vitest';
import { promptFrame } from './prompt-frame.ts';

/** Returns the frame for a message of text alone. */
function frameOf(text: string): unknown {
  const request = { deliveryId: 'dlv_ABEiM0RVZneImaq7zN3u_w', parts: [{ type: 'text', text }] };
  const { pieces } = promptFrame(request as unknown as DeliverRequest);
  return JSON.parse(pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join(''));
}

describe('the prompt of a delivery', () => {
  it('has the id of the delivery and the words as they are', () => {
    expect(frameOf('look at / this')).toEqual({
      id: 'dlv_ABEiM0RVZneImaq7zN3u_w',
      type: 'prompt',
      message: 'look at / this',
      images: [],
    });
  });

  it.each(['/attache-gate now', '/llama', '/'])('%s is no command of the program', (text) => {
    expect(frameOf(text)).toMatchObject({ message: `\n${text}` });
  });
});
