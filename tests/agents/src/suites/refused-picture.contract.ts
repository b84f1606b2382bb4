import { beforeAll, describe, expect, it } from 'vitest';
import { type Driven, eventsOf, type Suite } from '../driven.ts';
import { png } from '../files.ts';
import { openPlace, type Place, type Sent, takeTurn, uploadSample } from '../take-turn.ts';

const message = 'messages.0.content.1.image.source.base64: Could not process image';

/** The first turn of a session: no other picture is in its conversation, so every picture is the refused one. */
export const describeRefusedPicture: Suite = (runtime, use) => {
  if (runtime.refusedPicture === 'resent') return describeSpoiled(runtime, use);
  const { refusalTypes: types = ['invalid_request_error'] } = runtime;
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

    if (runtime.refusedPicture === 'taken-out') {
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

/** These send it again with every turn: nothing but another conversation helps, and that is said. */
const describeSpoiled: Suite = (runtime, use) => {
  describe(`a refused picture that goes out again, ${runtime.key}`, () => {
    let place: Place;
    const askedWith: number[] = [];
    beforeAll(async () => {
      const { stack, place: main } = use();
      const { profile, model } = main.agent.target;
      place = await openPlace(stack.api, profile, model);
      stack.stub.script((request) => {
        const count = request.attachments.length;
        if (request.model === runtime.model) askedWith.push(count);
        return count > 0 ? { status: 400, error: { type: 'invalid_request_error', message } } : { text: 'fine' };
      });
      const file = await uploadSample(stack.api, place, png);
      expect(await takeTurn(stack.api, place, 'Look.', [file.id])).toMatchObject({ delivery: { status: 'failed' } });
    });

    it('makes a later turn fail for good: its retry is refused, and the advice is another conversation [DL-57 DL-58 BX-01]', async () => {
      const { stack }: Driven = use();
      askedWith.length = 0;
      const sent = await takeTurn(stack.api, place, 'And without it?');
      expect(askedWith, 'what the program sent without being asked to').toContainEqual(1);
      expect(sent).toMatchObject({ delivery: { status: 'failed', failure: { retryable: false } } });
      const { id, failure } = (sent as Extract<Sent, { status: 'delivered' }>).delivery;
      expect(failure?.userMessage).toMatch(/another agent or in a new session/);
      const retried = await stack.api.call('POST', `/deliveries/${id}/retry`);
      expect(retried).toMatchObject({ status: 409, body: { code: 'NOT_RETRYABLE' } });
    });

    it('leaves a new session alone [BX-01]', async () => {
      const { stack } = use();
      const fresh = await openPlace(stack.api, place.agent.target.profile, place.agent.target.model);
      expect(await takeTurn(stack.api, fresh, 'And here?')).toMatchObject({ delivery: { status: 'responded' } });
    });
  });
};
