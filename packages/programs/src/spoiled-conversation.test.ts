import type { TurnEnd } from '@attache/agent-process/protocol';
import type { DeliveryId, Part } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { endOfPrompt } from './acp/end-of-prompt.ts';
import { createSpoilWatch } from './spoiled-conversation.ts';

const deliveryId: DeliveryId = 'dlv_ABEiM0RVZneImaq7zN3u_w';
const picture = { type: 'image' } as unknown as Part;
const text = { type: 'text', text: 'And now?' } as Part;
const troubles = { removedMedia: false, status: 0, error: undefined };

/** OpenCode's answer to whatever its provider refused. */
const openCode = (part: Part) =>
  endOfPrompt(
    { status: 'error', code: -32603, message: 'Internal error: no', data: { errorName: 'APIError' } },
    { deliveryId, parts: [part], troubles },
  );
const codexAcp = (part: Part, category: string, title: string) => {
  const result = { _meta: { jetbrains: { air: { sessionFailure: { severity: 'error', category, title } } } } };
  return endOfPrompt({ status: 'result', result }, { deliveryId, parts: [part], troubles });
};
const refused = JSON.stringify({ error: { type: 'invalid_request_error' } });
const ended = endOfPrompt(
  { status: 'result', result: { stopReason: 'end_turn' } },
  { deliveryId, parts: [], troubles },
);

/** Whether the last of these turns is marked as spoiled. */
function isSpoiledAfter(...turns: [end: TurnEnd, hasAttachments: boolean, isAnswered?: boolean][]): boolean {
  const watch = createSpoilWatch();
  const ends = turns.map(([end, hasAttachments, isAnswered = false]) => watch(end, { hasAttachments, isAnswered }));
  return (ends.at(-1) as { isSpoiled?: boolean }).isSpoiled === true;
}

describe('a conversation that may hold a refused file [DL-57 BX-01]', () => {
  it('is spoiled when the next turn fails, too', () => {
    expect(isSpoiledAfter([openCode(picture), true])).toBe(false);
    expect(isSpoiledAfter([openCode(picture), true], [openCode(text), false])).toBe(true);
    expect(
      isSpoiledAfter([codexAcp(picture, 'service', refused), true], [codexAcp(text, 'service', refused), false]),
    ).toBe(true);
  });

  it('is not where no file was refused before, or the model has answered since', () => {
    expect(isSpoiledAfter([openCode(text), false], [openCode(text), false])).toBe(false);
    expect(isSpoiledAfter([openCode(picture), true], [ended, false], [openCode(text), false])).toBe(false);
    expect(isSpoiledAfter([openCode(picture), true, true], [openCode(text), false])).toBe(false);
  });

  it('is not where the provider was away, or the account used up', () => {
    const away = (part: Part) => codexAcp(part, 'connection', 'unexpected status 529 <unknown status code>: busy');
    expect(isSpoiledAfter([away(picture), true], [away(text), false])).toBe(false);
    const limited = (part: Part) => codexAcp(part, 'limit', 'exceeded retry limit');
    expect(isSpoiledAfter([limited(picture), true], [limited(text), false])).toBe(false);
  });
});

describe('the status in the words of codex-acp [DL-57]', () => {
  it.each([
    ['unexpected status 413 Payload Too Large: no', 'attachment_provider_rejected'],
    ['unexpected status 401 Unauthorized: no', 'delivery_agent_auth_required'],
    ['unexpected status 529 <unknown status code>: no', 'delivery_runtime_transport_failed'],
    ['the provider says: unexpected status 413', 'delivery_runtime_transport_failed'],
  ])('%s is %s', (title, code) => {
    expect(codexAcp(picture, 'connection', title)).toMatchObject({ status: 'failed', code });
  });
});
