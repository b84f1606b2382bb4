import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireBlock, WireRequest } from '../receipt/wire-facts.ts';
import { type Answered, answers, noted, picture, words } from './__fixtures__/wire-requests.ts';
import { noteRequest } from './note-request.ts';
import { beginQuarantine, listReplacements, type QuarantineState } from './quarantine-state.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

/** How a provider refuses a picture. */
type Way = 'takes it' | 'names it' | 'says a picture' | 'says nothing';
/** The behaviour of a program in a turn in which a request was refused. */
type Habit = 'leaves it' | 'tries again' | 'drops the pictures' | 'forgets the message';
type Turn = { conversation: number; pictures: number[]; byTool: boolean; habit: Habit; troubles: boolean[] };
type Message = { role: 'user' | 'assistant'; text: string; pictures: number[]; byTool: boolean };

const MAX_REQUESTS = 6;
const way = fc.constantFrom<Way>('takes it', 'takes it', 'names it', 'says a picture', 'says nothing');
const turn: fc.Arbitrary<Turn> = fc.record({
  conversation: fc.nat(1),
  pictures: fc.array(fc.nat(7), { maxLength: 3 }),
  byTool: fc.boolean(),
  habit: fc.constantFrom<Habit>('leaves it', 'tries again', 'drops the pictures', 'forgets the message'),
  troubles: fc.array(fc.boolean(), { maxLength: 3 }),
});

/** A provider, an agent with two conversations, of which one may be a helper's, and the state between them. */
function createWorld(ways: readonly Way[]) {
  const conversations: Message[][] = [[], []];
  let state: QuarantineState = beginQuarantine();
  let earlier: WireRequest | undefined;
  let texts = 0;
  const wayOf = (block: WireBlock): Way =>
    block.kind === 'media' && block.isReplaced !== true ? (ways[Number(block.sha256)] ?? 'takes it') : 'takes it';

  function listBlocks(messages: readonly Message[]): WireBlock[] {
    const out = new Set(listReplacements(state).map(({ wireSha256 }) => wireSha256));
    return messages.flatMap(({ role, text, pictures, byTool }, index) => {
      const place = role === 'assistant' ? 'assistant' : byTool ? 'tool-result' : 'user';
      const blocks = pictures.map((number, at) => {
        const sha256 = String(number);
        return picture(sha256, { place, path: [index, at + 1], isReplaced: out.has(sha256) });
      });
      return [{ ...words(text, place), path: [index, 0] }, ...blocks];
    });
  }

  function answer(blocks: readonly WireBlock[]): Answered {
    const bad = blocks.find((block) => wayOf(block) !== 'takes it');
    if (bad === undefined) return answers.accepted;
    const [message = 0, part = 0] = bad.path ?? [];
    if (wayOf(bad) === 'names it') return answers.named(message, part);
    return wayOf(bad) === 'says a picture' ? answers.media : answers.unknown;
  }

  /** Sends a conversation. Returns whether the provider took it. */
  function send(messages: Message[], isTrouble: boolean): boolean {
    const before = state;
    const blocks = listBlocks(messages);
    const answered = isTrouble ? answers.broken : answer(blocks);
    const request = noted({ blocks, answered, earlier });
    const { state: after, quarantined } = noteRequest(state, request);
    state = after;
    checkLog(before, quarantined, answered);
    if (answered.status !== 200) return false;
    earlier = request;
    messages.push({ role: 'assistant', text: `said ${texts}`, pictures: [], byTool: false });
    return true;
  }

  const isBad = (wireSha256: string) => ways[Number(wireSha256)] !== 'takes it';

  function checkLog(
    before: QuarantineState,
    quarantined: ReturnType<typeof noteRequest>['quarantined'],
    { status }: Answered,
  ) {
    for (const { wireSha256, group } of quarantined) if (group === undefined) expect(isBad(wireSha256)).toBe(true);
    const logged = new Set(quarantined.map(({ wireSha256 }) => wireSha256));
    const groups = before.provisional.filter(({ parts }) => parts.some(({ wireSha256 }) => logged.has(wireSha256)));
    for (const { parts } of groups) expect(parts.some(({ wireSha256 }) => isBad(wireSha256))).toBe(true);
    // A group is only ever logged by what was accepted without it.
    if (status !== 200) expect(quarantined.filter(({ group }) => group === true)).toEqual([]);
    expect(new Set(state.confirmed.map(({ wireSha256 }) => wireSha256)).size).toBe(state.confirmed.length);
  }

  return {
    take({ conversation, pictures, byTool, habit, troubles }: Turn): void {
      const messages = conversations[conversation] as Message[];
      const message: Message = { role: 'user', text: `text ${++texts}`, pictures, byTool };
      messages.push(message);
      const tries = { 'leaves it': 1, 'tries again': 4, 'drops the pictures': 2, 'forgets the message': 1 }[habit];
      for (let attempt = 0; attempt < tries; attempt += 1) {
        if (send(messages, troubles[attempt] === true)) return;
        if (habit === 'drops the pictures') message.pictures = [];
      }
      if (habit === 'forgets the message') messages.splice(messages.indexOf(message), 1);
    },
    /** How many requests it takes until a conversation continues. */
    recover(conversation: number): number {
      const messages = conversations[conversation] as Message[];
      messages.push({ role: 'user', text: `text ${++texts}`, pictures: [], byTool: false });
      for (let count = 1; count <= MAX_REQUESTS; count += 1) if (send(messages, false)) return count;
      return Number.POSITIVE_INFINITY;
    },
  };
}

describe('whatever a provider refuses, in whatever way, and whatever a program does then', () => {
  it('a conversation continues after a few requests, and what is taken stays but for what came with what was not [BX-01 BX-02]', () => {
    fc.assert(
      fc.property(fc.array(way, { minLength: 8, maxLength: 8 }), fc.array(turn, { maxLength: 12 }), (ways, turns) => {
        const world = createWorld(ways);
        for (const each of turns) world.take(each);
        for (const conversation of [0, 1]) expect(world.recover(conversation)).toBeLessThanOrEqual(MAX_REQUESTS);
        for (const conversation of [0, 1]) expect(world.recover(conversation)).toBe(1);
      }),
      { numRuns: isShort ? 100 : 1_000 },
    );
  });
});
