// hosted: every – the gateway of each stack judges the calls of its agents
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { type Place, runScript } from '../steps/turns.ts';

let stack: Stack;
let place: Place;
let foreign: string;
beforeAll(async () => {
  stack = await openStack({ tenants: ['other'] });
  place = await stack.api.createSession({ profile: 'armed', model: 'script' });
  const other = await stack.apiOf('other').createSession({ profile: 'scripted', model: 'script' });
  const uploaded = await stack.apiOf('other').upload(other.session.id, Buffer.from('of others'), {
    ...{ name: 'a.txt', type: 'text/plain' },
  });
  foreign = uploaded.attachment.id;
});
afterAll(() => stack.stop());

const told = (words: string) => {
  const content = [{ type: 'content', content: { type: 'text', text: words } }];
  return `update ${JSON.stringify({ sessionUpdate: 'tool_call', toolCallId: 'asked', title: words, status: 'pending', content })}`;
};
const shortened = 'update {"sessionUpdate":"tool_call_update","toolCallId":"asked","title":"cat /files/…"}';
const ended = 'update {"sessionUpdate":"tool_call_update","toolCallId":"asked","status":"completed"}';

/** Asks after each of these lines; answers the choice of the gateway. */
async function choose(...lines: string[]): Promise<unknown> {
  const said = await runScript(stack.api, place, [...lines, ended]);
  return said[lines.length - 1];
}

describe('a call whose arguments an agent hides', () => {
  it('is denied for what an earlier word about it told, though the question is shortened [AT-30 AT-31 S2]', async () => {
    expect(await choose(told(`cat /files/${foreign}`), shortened, 'ask-by-title cat /files/…')).toBe('reject_once');
    expect(await choose(told('cat /files/mine'), shortened, 'ask-by-title cat /files/…')).toBe('allow_once');
  });

  it('is denied where nobody has told them, and the log says why [AT-31]', async () => {
    expect(await choose('ask-by-title cat /files/…')).toBe('reject_once');
    const blocked = (await stack.api.events(place.session.id)).findLast(({ kind }) => kind === 'tool.blocked');
    expect(blocked?.data).toMatchObject({ reason: expect.stringContaining('without all of its arguments') });
    expect(await choose('ask-by-title git log main...next')).toBe('allow_once');
  });

  it('is denied with a foreign id and let pass with a word that looks like one [AT-30 S2]', async () => {
    expect(await choose(`ask cat data_${foreign}.txt`)).toBe('reject_once');
    expect(await choose(`ask curl https://example.org/?f=${encodeURIComponent(JSON.stringify({ id: foreign }))}`)).toBe(
      'reject_once',
    );
    expect(await choose('ask grep -rn data_att_network_subscriber_identifier ATT_MAXIMUM_TRANSMISSION_UNIT_SIZE')).toBe(
      'allow_once',
    );
  });
});
