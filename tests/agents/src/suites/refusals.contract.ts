import type { Session } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { eventsOf, listen, type Suite } from '../driven.ts';
import { png } from '../files.ts';
import type { ModelReply } from '../stub/model-stub.ts';
import { takeTurn, uploadSample } from '../take-turn.ts';

const refuse = (status: number): ModelReply => ({
  status,
  error: { message: 'the picture is refused', type: status === 400 ? 'invalid_request_error' : 'api_error' },
  retryAfterSeconds: 1,
});

export const describeRefusals: Suite = (runtime, use) => {
  describe(`a provider’s refusal, by ${runtime.key}`, () => {
    const cases = Object.entries(runtime.refusals).map(([status, code]) => ({
      status: Number(status),
      code,
    }));

    it.each(cases)(
      'with status $status is $code, and the session continues [DL-05 DL-38 DL-57 DL-60 DL-84]',
      async ({ status, code }) => {
        const driven = use();
        const { stack, place } = driven;
        const file = await uploadSample(stack.api, place, png);
        stack.stub.script(() => refuse(status));
        const sent = await takeTurn(stack.api, place, 'Look.', [file.id]);
        expect(sent).toMatchObject({ delivery: { status: 'failed', failure: { code } } });
        listen(driven, runtime.model);
        expect(await takeTurn(stack.api, place, 'And now?')).toMatchObject({ delivery: { status: 'responded' } });
      },
    );

    it('was no crash: a process ended for a conversation that was too large alone, and no state of the agent tells of a file [BX-01 DL-05 DL-60]', async () => {
      const driven = use();
      const { stack, place } = driven;
      const stopped = cases.some(({ status }) => status === 413) ? ['context-full'] : [];
      const reasons = (await eventsOf(driven, place, 'agent.stopped')).map(({ data }) => data.reason);
      expect(reasons).toEqual(stopped);
      expect(await eventsOf(driven, place, 'agent.started')).toHaveLength(1 + stopped.length);
      const { body } = await stack.api.call<{ session: Session }>('GET', `/sessions/${place.session.id}`);
      expect(body.session.agents).toMatchObject([{ status: 'idle' }]);
      expect(JSON.stringify(body.session.agents)).not.toContain('attachment');
    });
  });
};
