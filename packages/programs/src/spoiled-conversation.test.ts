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

/** The mark of the last of these turns. */
function markAfter(
  ...turns: [end: TurnEnd, hasAttachments: boolean, isAnswered?: boolean][]
): boolean | 'perhaps' | undefined {
  const watch = createSpoilWatch();
  const ends = turns.map(([end, hasAttachments, isAnswered = false]) => watch(end, { hasAttachments, isAnswered }));
  return (ends.at(-1) as { isSpoiled?: boolean | 'perhaps' }).isSpoiled;
}

describe('a conversation that may hold a refused file [DL-57 BX-01]', () => {
  it('is spoiled when the next turn fails, too; perhaps, where its program does not say that the provider refused', () => {
    expect(markAfter([openCode(picture), true])).toBeUndefined();
    expect(markAfter([openCode(picture), true], [openCode(text), false])).toBe('perhaps');
    expect(markAfter([codexAcp(picture, 'service', refused), true], [codexAcp(text, 'service', refused), false])).toBe(
      true,
    );
  });

  it('is not where no file was refused before, or the model has answered since', () => {
    expect(markAfter([openCode(text), false], [openCode(text), false])).toBeUndefined();
    expect(markAfter([openCode(picture), true], [ended, false], [openCode(text), false])).toBeUndefined();
    expect(markAfter([openCode(picture), true, true], [openCode(text), false])).toBeUndefined();
  });

  it('is not where the provider was away, or the account used up', () => {
    const away = (part: Part) => codexAcp(part, 'connection', 'unexpected status 529 <unknown status code>: busy');
    expect(markAfter([away(picture), true], [away(text), false])).toBeUndefined();
    const limited = (part: Part) => codexAcp(part, 'limit', 'exceeded retry limit');
    expect(markAfter([limited(picture), true], [limited(text), false])).toBeUndefined();
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
