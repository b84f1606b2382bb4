import { AttacheError, type SentAnswer } from '@attache/client';
import { describe, expect, it } from 'vitest';
import { createSender } from './create-sender.ts';

type Call = { idempotencyKey: string | undefined; attachmentIds: readonly string[] | undefined };

/** A sender whose requests end as the given outcomes say, in their order. */
function open(...outcomes: ('sent' | AttacheError)[]) {
  const calls: Call[] = [];
  const settled: string[] = [];
  let generation = 0;
  const sender = createSender({
    session: {
      async send({ attachmentIds }, { idempotencyKey } = {}) {
        calls.push({ idempotencyKey, attachmentIds });
        const outcome = outcomes.shift();
        if (outcome instanceof AttacheError) throw outcome;
        return {} as SentAnswer;
      },
    },
    draft: {
      take() {
        generation += 1;
        return { generation, attachmentIds: ['att_1' as never] };
      },
      recheck: async () => void settled.push('rechecked'),
      settle: (which, outcome) => void settled.push(`${which} ${outcome}`),
    },
    makeKey: () => `key-${calls.length + 1}`,
  });
  return { sender, calls, settled };
}

const lost = () => new AttacheError('NETWORK_FAILED', 'No connection.', { retryable: true });
const blocked = () => new AttacheError('DELIVERY_BLOCKED', 'Blocked.', { status: 422 });

describe('sending a draft', () => {
  it('sends once for two clicks, with a key of the generation [DL-88]', async () => {
    const { sender, calls, settled } = open('sent');
    const outcomes = await Promise.all([sender.send({ text: 'hi' }), sender.send({ text: 'hi' })]);
    expect(outcomes.map((outcome) => outcome?.status)).toEqual(['sent', undefined]);
    expect(calls).toEqual([{ idempotencyKey: 'key-1', attachmentIds: ['att_1'] }]);
    expect(settled).toEqual(['1 sent']);
  });

  it('keeps the files of a failed send, and repeats its key where the server may have taken it', async () => {
    const { sender, calls, settled } = open(lost(), 'sent', 'sent');
    expect(await sender.send({ text: 'hi' })).toMatchObject({ status: 'failed', error: { code: 'NETWORK_FAILED' } });
    await sender.send({ text: 'hi' });
    await sender.send({ text: 'hi' });
    expect(settled).toEqual(['1 failed', '2 sent', '3 sent']);
    expect(calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['key-1', 'key-1', 'key-3']);
  });

  it('looks which files are gone where one is missing', async () => {
    const { sender, settled } = open(new AttacheError('ATTACHMENT_NOT_FOUND', 'Gone.', { status: 404 }));
    await sender.send({ text: 'hi' });
    expect(settled).toEqual(['1 failed', 'rechecked']);
  });

  it('takes a new key for another message, and after a refusal, which is certain', async () => {
    const changed = open(lost(), 'sent');
    await changed.sender.send({ text: 'hi' });
    await changed.sender.send({ text: 'hello' });
    expect(changed.calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['key-1', 'key-2']);
    const refused = open(blocked(), 'sent');
    await refused.sender.send({ text: 'hi' });
    await refused.sender.send({ text: 'hi' });
    expect(refused.calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['key-1', 'key-2']);
  });
});
