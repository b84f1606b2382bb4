import { beforeAll, describe, expect, it } from 'vitest';
import { eventsOf, type Suite } from '../driven.ts';
import { png } from '../files.ts';
import { type Sent, takeTurn, uploadSample } from '../take-turn.ts';

const forgetting = ['claude', 'claude-acp', 'codex', 'gemini'];
// Codex passes its provider's words on; they differ from one to the next.
const wordings: Record<string, readonly string[]> = {
  codex: ['invalid_request_error', 'image_parse_error', 'not known'],
};
const message = 'messages.0.content.1.image.source.base64: Could not process image';

/** The first turn of a session: no other picture is in its conversation, so every picture is the refused one. */
export const describeRefusedPicture: Suite = (runtime, use) => {
  if (!forgetting.includes(runtime.key)) return;
  const types = wordings[runtime.key] ?? ['invalid_request_error'];
  describe.each(types)(`after a refused picture (%s), ${runtime.key}`, (type) => {
    let sent: Sent;
    beforeAll(async () => {
      const { stack, place } = use();
      stack.stub.script(({ attachments }) =>
        attachments.length > 0 ? { status: 400, error: { type, message } } : { text: 'fine' },
      );
      const file = await uploadSample(stack.api, place, png);
      sent = await takeTurn(stack.api, place, 'Look.', [file.id]);
    });

    if (runtime.key === 'claude' || runtime.key === 'claude-acp') {
      it('has taken it out of the conversation: the receipt says refused, and the log why [DL-09 DL-36 DL-58 BX-03 SR-20]', async () => {
        expect(sent).toMatchObject({ delivery: { status: 'responded', receipt: { items: [{ verdict: 'refused' }] } } });
        const [responded] = await eventsOf(use(), use().place, 'delivery.responded');
        expect(responded?.data.diagnostic).toMatchObject({ code: 'attachment_provider_rejected', severity: 'warning' });
      });
    }

    it('does not send it again: it cannot make every later turn fail [BX-01]', async () => {
      const { stack, place } = use();
      expect(await takeTurn(stack.api, place, 'And without it?')).toMatchObject({ delivery: { status: 'responded' } });
      expect(await takeTurn(stack.api, place, 'And once more?')).toMatchObject({ delivery: { status: 'responded' } });
    });
  });
};
