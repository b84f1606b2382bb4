import { describe, expect, it } from 'vitest';
import { listen, type Suite } from '../driven.ts';
import { png } from '../files.ts';
import { takeTurn, uploadSample } from '../take-turn.ts';

export const describeUnreached: Suite = (runtime, use) => {
  describe(`a model server that cannot be reached, by ${runtime.key}`, () => {
    it('because it never answers: the turn ends in its time, and the next one is answered [DL-61 DL-84]', async () => {
      const driven = use();
      const { stack, place } = driven;
      const file = await uploadSample(stack.api, place, png);
      stack.stub.script(() => ({ hang: true }));
      const sent = await takeTurn(stack.api, place, 'Look.', [file.id]);
      expect(sent).toMatchObject({ delivery: { status: 'failed', failure: { code: 'delivery_turn_timeout' } } });
      listen(driven, runtime.model);
      expect(await takeTurn(stack.api, place, 'And now?')).toMatchObject({ delivery: { status: 'responded' } });
    });

    it('because it cuts the connection: the delivery fails by a code, and the session continues [DL-05 DL-84]', async () => {
      const driven = use();
      const { stack, place } = driven;
      stack.stub.script(() => ({ reset: true }));
      const sent = await takeTurn(stack.api, place, 'Words.');
      // Some try again for longer than a turn may take.
      const code = expect.stringMatching(/^delivery_(runtime_transport_failed|turn_timeout)$/);
      expect(sent).toMatchObject({ delivery: { status: 'failed', failure: { code } } });
      listen(driven, runtime.model);
      expect(await takeTurn(stack.api, place, 'And now?')).toMatchObject({ delivery: { status: 'responded' } });
    });
  });
};
