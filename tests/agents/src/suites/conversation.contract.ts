import { describe, expect, it } from 'vitest';
import { digestsOf, eventsOf, listen, type Suite } from '../driven.ts';
import { jpeg, png } from '../files.ts';
import { converse, takeTurn, uploadSample } from '../take-turn.ts';

/** The first turns of a session: what the model is asked then holds nothing else. */
export const describeConversation: Suite = (runtime, use) => {
  describe(`a conversation with ${runtime.key}`, () => {
    it('continues in a second turn, in the same process [DL-02 DL-05 DL-82]', async () => {
      const driven = use();
      const { stack, place } = driven;
      const asked = listen(driven, runtime.model);
      const file = await uploadSample(stack.api, place, png);
      await converse(stack.api, place, 'First look.', [file.id]);
      await converse(stack.api, place, 'And now, without a file.');
      expect(asked.at(-1)?.lastUserText).toContain('And now, without a file.');
      expect(asked.at(-1)?.newAttachments).toEqual([]);
      expect(digestsOf(asked.at(-1))).toEqual([png.sha256]);
      expect(await eventsOf(driven, place, 'agent.started')).toHaveLength(1);
    });

    const { ownCommand } = runtime;
    if (ownCommand !== undefined)
      it('has no commands: a message that begins like one of its program reaches the model [DL-82]', async () => {
        const driven = use();
        const asked = listen(driven, runtime.model);
        await converse(driven.stack.api, driven.place, ownCommand);
        expect(asked.at(-1)?.lastUserText).toContain(ownCommand);
      });

    it('takes what is sent during a turn: all of it is answered, each message once [DL-52 DL-82]', async () => {
      const driven = use();
      const { stack, place } = driven;
      const asked = listen(driven, runtime.model);
      const file = await uploadSample(stack.api, place, jpeg);
      const turns = await Promise.all([
        takeTurn(stack.api, place, 'one'),
        takeTurn(stack.api, place, 'two', [file.id]),
        takeTurn(stack.api, place, 'three'),
      ]);
      const failures = turns.map((turn) => (turn.status === 'delivered' ? turn.delivery.failure : turn.codes));
      expect(failures).toEqual([undefined, undefined, undefined]);
      for (const turn of turns) expect(turn).toMatchObject({ delivery: { status: 'responded' } });
      const said = asked.at(-1)?.texts.join('\n') ?? '';
      for (const word of ['one', 'two', 'three'])
        expect(said.match(new RegExp(`^${word}`, 'gm')), word).toHaveLength(1);
      expect(digestsOf(asked.at(-1))).toEqual([png.sha256, jpeg.sha256]);
    });

    it('is interrupted over HTTP: the turn ends as cancelled, and the next one is answered [DL-61]', async () => {
      const driven = use();
      const { stack, place } = driven;
      const { promise: isAsked, resolve } = Promise.withResolvers<void>();
      listen(driven, runtime.model, () => {
        resolve();
        return { hang: true };
      });
      const sent = takeTurn(stack.api, place, 'Think for ever.');
      await Promise.race([isAsked, sent]);
      const body = { agentId: place.agent.id };
      expect((await stack.api.call('POST', `/sessions/${place.session.id}/interrupt`, { body })).status).toBe(202);
      expect(await sent).toMatchObject({
        delivery: { status: 'responded', receipt: { proof: expect.stringMatching(/cancel|interrupted|error_during/) } },
      });
      listen(driven, runtime.model);
      await converse(stack.api, place, 'Still there?');
      expect(await eventsOf(driven, place, 'agent.started')).toHaveLength(1);
    });
  });
};
