import { describe, expect, it } from 'vitest';
import type { WireBlock } from '../receipt/wire-facts.ts';
import { type Asked, answers, noted, picture, words } from './__fixtures__/wire-requests.ts';
import { describeReplacement } from './describe-replacement.ts';
import { noteRequest } from './note-request.ts';
import { beginQuarantine, forget, listReplacements, type Quarantined } from './quarantine-state.ts';

const replaced = (sha256: string, given = {}) => picture(sha256, { isReplaced: true, ...given });
const said = words('said', 'assistant');
const hi = words('hi');

/** Notes these requests: returns the log entries, and the files that are left out afterwards. */
function note(requests: readonly Asked[], begun = beginQuarantine()) {
  const logged: Quarantined[] = [];
  let state = begun;
  for (const each of requests) {
    const { state: next, quarantined } = noteRequest(state, noted(each));
    state = next;
    logged.push(...quarantined);
  }
  return { state, logged, out: listReplacements(state).map(({ wireSha256 }) => wireSha256) };
}

const refusedWith = (answered: Asked['answered'], ...blocks: WireBlock[]): Asked => ({ blocks, answered });
const accepted = (...blocks: WireBlock[]): Asked => ({ blocks, answered: answers.accepted });
const group = (code: string, ...wireSha256s: string[]) =>
  wireSha256s.map((wireSha256) => ({ wireSha256, code, group: true as const }));

describe('a part that a refusal names', () => {
  const [old, fresh] = [picture('a', { path: [0, 0] }), picture('b', { path: [2, 1] })];
  it('is quarantined at once, and alone [BX-02]', () => {
    const { logged, out } = note([refusedWith(answers.named(2, 1), old, said, hi, fresh)]);
    expect(logged).toEqual([{ wireSha256: 'b', code: 'invalid_value' }]);
    expect(out).toEqual(['b']);
  });

  it('is quarantined however old, and in a turn that brought none', () => {
    const { logged } = note([accepted(old, said), refusedWith(answers.named(0, 0), old, said, hi)]);
    expect(logged).toEqual([{ wireSha256: 'a', code: 'invalid_value' }]);
  });

  it('is quarantined in what a tool gave', () => {
    const inner = picture('c', { place: 'tool-result', path: [3, 0, 1] });
    const text = 'messages.3.content.0.tool_result.content.1.image.source.base64: no';
    const answered = { status: 400, error: { type: 'invalid_request_error', message: text } };
    const { logged } = note([{ blocks: [hi, said, inner], answered, api: 'anthropic' }]);
    expect(logged).toEqual([{ wireSha256: 'c', code: 'file_refused' }]);
  });

  it('is logged once', () => {
    const again = refusedWith(answers.named(2, 1), old, said, hi, fresh);
    expect(note([again, again]).logged).toHaveLength(1);
  });

  it.each<[string, WireBlock]>([
    ['a text', { ...words('text'), path: [2, 1] }],
    ['nothing', picture('x', { path: [7, 1] })],
    ['what the model said', picture('x', { place: 'assistant', path: [2, 1] })],
    ['what was not read without doubt', picture('x', { isReadable: false, path: [2, 1] })],
    ['what is elsewhere', picture('', { path: [2, 1] })],
    ['what is out already', replaced('x', { path: [2, 1] })],
  ])('and is %s says no more than that it is a file', (_, block) => {
    const { logged, out } = note([refusedWith(answers.named(2, 1), hi, block, picture('b', { path: [2, 2] }))]);
    expect(logged).toEqual([]);
    expect(out.filter((each) => each !== 'x')).toEqual(['b']);
  });
});

describe('where the part is not named, all new files of the request', () => {
  const first = refusedWith(answers.media, hi, picture('a'), picture('b'));
  const attempt = (answered: Asked['answered']) => refusedWith(answered, hi, replaced('a'), replaced('b'));

  it('are out of the next one, and nothing is logged yet', () => {
    expect(note([first])).toMatchObject({ logged: [], out: ['a', 'b'] });
    expect(listReplacements(note([first]).state).every(({ isProvisional }) => isProvisional)).toBe(true);
  });

  it('stay out where that is accepted, and are logged as a group [BX-02]', () => {
    const { logged, out, state } = note([first, attempt(answers.accepted)]);
    expect(logged).toEqual(group('invalid_image_format', 'a', 'b'));
    expect(out).toEqual(['a', 'b']);
    expect(listReplacements(state).some(({ isProvisional }) => isProvisional)).toBe(false);
  });

  it.each([
    ['in the same words', answers.media],
    ['in others', answers.unknown],
    ['for its length', answers.tooLong],
  ])('are put back where it is refused %s, and nothing is logged [BX-02]', (_, answered) => {
    expect(note([first, attempt(answered)])).toMatchObject({ logged: [], out: [] });
  });

  it('are put back where it is refused for another part, which is named', () => {
    const other = picture('c', { path: [4, 0] });
    const { logged, out } = note([first, refusedWith(answers.named(4, 0), hi, replaced('a'), replaced('b'), other)]);
    expect(logged).toEqual([{ wireSha256: 'c', code: 'invalid_value' }]);
    expect(out).toEqual(['c']);
  });

  it.each([
    ['its rate', answers.rate],
    ['the trouble of its provider', answers.broken],
    ['nothing, since no answer came', undefined],
    ['an answer that did not begin', { status: 200, error: {} }],
  ])('stay out where the next one says nothing of what it held: %s', (_, answered) => {
    const { out, state } = note([first, attempt(answered)]);
    expect(out).toEqual(['a', 'b']);
    expect(note([attempt(answers.accepted)], state).logged).toHaveLength(2);
  });

  it('are tried together with those that came meanwhile', () => {
    const next = refusedWith(answers.media, hi, replaced('a'), replaced('b'), words('so'), picture('c'));
    const last = accepted(hi, replaced('a'), replaced('b'), words('so'), replaced('c'));
    expect(note([first, next])).toMatchObject({ logged: [], out: ['a', 'b', 'c'] });
    expect(note([first, next, last]).logged.map(({ wireSha256 }) => wireSha256)).toEqual(['a', 'b', 'c']);
  });

  it('are none that the provider has taken before, in whatever order', () => {
    const { out } = note([accepted(picture('b'), said), refusedWith(answers.media, picture('a'), said, picture('b'))]);
    expect(out).toEqual(['a']);
  });

  it('are none that came before a restart', () => {
    const blocks = [picture('old'), said, hi, picture('a')];
    expect(note([{ blocks, answered: answers.media, earlier: 'unseen' }]).out).toEqual(['a']);
  });

  it('are one, where they are the same', () => {
    expect(note([refusedWith(answers.media, picture('a'), picture('a'))]).out).toEqual(['a']);
  });

  it('stay in where the request was not read', () => {
    expect(note([{ blocks: undefined, answered: answers.media }]).out).toEqual([]);
    expect(note([first, { blocks: undefined, answered: answers.accepted }])).toMatchObject({
      logged: [],
      out: ['a', 'b'],
    });
  });

  it('stay in where there is none: then nothing is known of what was refused', () => {
    expect(note([accepted(picture('a'), said), refusedWith(answers.media, picture('a'), said, hi)]).out).toEqual([]);
  });
});

describe('a program that acts by itself after a refusal', () => {
  const first = refusedWith(answers.media, hi, picture('a'));
  it('has confirmed it where it drops the file and keeps what came with it', () => {
    expect(note([first, accepted(hi)]).logged).toEqual(group('invalid_image_format', 'a'));
    expect(note([first, refusedWith(answers.unknown, hi)])).toMatchObject({ logged: [], out: [] });
  });

  it('has confirmed nothing where it forgets all of the message, or asks something else meanwhile', () => {
    const { logged, out, state } = note([first, accepted(words('another'))]);
    expect({ logged, out }).toEqual({ logged: [], out: ['a'] });
    // When the file comes again it is tried without it.
    expect(note([accepted(words('again'), replaced('a'))], state).logged).toHaveLength(1);
  });

  it('has shown that it is no such file where an older request with it is accepted', () => {
    const two = refusedWith(answers.media, hi, picture('a'), picture('b'));
    expect(note([two, accepted(hi, picture('a')), accepted(hi, picture('a'), replaced('b'))]).logged).toEqual(
      group('invalid_image_format', 'b'),
    );
  });
});

describe('a 400 that no row knows', () => {
  const first = refusedWith(answers.unknown, hi, picture('a'));
  it('takes nothing out at once [BX-02]', () => {
    expect(note([first]).out).toEqual([]);
  });

  it('takes out what was refused so twice in a row', () => {
    const attempt = [accepted(hi, replaced('a'), words('so'), replaced('b'))];
    expect(note([first, first]).out).toEqual(['a']);
    const { out, state } = note([first, refusedWith(answers.unknown, hi, picture('a'), words('so'), picture('b'))]);
    expect(out).toEqual(['a', 'b']);
    expect(note(attempt, state).logged).toEqual(group('unspecified', 'a', 'b'));
  });

  it.each<[string, Asked, string[]]>([
    ['a request was accepted between', accepted(words('another')), []],
    ['the other one was refused for another reason', refusedWith(answers.named(0, 0), hi, picture('b')), ['b']],
    ['the other one held another file', refusedWith(answers.unknown, hi, picture('b')), []],
  ])('is the first one again where %s', (_, between, out) => {
    expect(note([first, between, first]).out).toEqual(out);
  });

  it('is not forgotten for an answer that says nothing of the content', () => {
    expect(note([first, refusedWith(answers.broken, hi, picture('a')), first]).out).toEqual(['a']);
  });
});

describe('a limit of the whole request', () => {
  const many = (count: number, given: (index: number) => object) =>
    Array.from({ length: count }, (_, index) => picture(`${index}`, { path: [0, index], ...given(index) }));
  const refusedFor = (message: string, blocks: readonly WireBlock[]): Asked => {
    return { blocks, answered: { status: 400, error: { type: 'invalid_request_error', message } }, api: 'anthropic' };
  };

  it('takes out the pictures that are above it, together and at once, and no other [BX-02]', () => {
    const blocks = many(25, (index) => ({ width: index % 5 === 0 ? 2_001 : 2_000, height: index === 7 ? 3_000 : 10 }));
    const { logged } = note([refusedFor('messages.0.content.5.image.source.base64.data: at least one', blocks)]);
    expect(logged.map(({ wireSha256 }) => wireSha256)).toEqual(['0', '5', '7', '10', '15', '20']);
    expect(new Set(logged.map(({ code, group }) => `${code} ${group}`))).toEqual(
      new Set(['picture_above_2000_pixels undefined']),
    );
  });

  it('is none where there are no more than twenty, or where the picture that is named is smaller', () => {
    const blocks = many(20, () => ({ width: 9_000 }));
    expect(note([refusedFor('messages.0.content.5.image.source.base64.data: too large', blocks)]).out).toEqual(['5']);
    const mixed = many(25, (index) => ({ width: index === 5 ? 100 : 2_001 }));
    expect(note([refusedFor('messages.0.content.5.image.source.base64.data: no picture', mixed)]).out).toEqual(['5']);
  });

  it('of their number takes the oldest out, and keeps them out where that was it', () => {
    const blocks = many(103, () => ({}));
    const tried = note([refusedFor('too many images and documents: 103 + 0 > 100', blocks)]);
    expect(tried).toMatchObject({ logged: [], out: ['0', '1', '2'] });
    const next = blocks.map((block, index) => (index < 3 ? { ...block, isReplaced: true } : block));
    expect(note([accepted(...next)], tried.state).logged).toEqual(group('too_many_pictures', '0', '1', '2'));
    expect(note([refusedFor('prompt is too long', next)], tried.state)).toMatchObject({ logged: [], out: [] });
  });
});

describe('what is larger than the model takes', () => {
  const tooLarge = { status: 413, error: { type: 'request_too_large' } };
  it.each([answers.tooLong, tooLarge])('quarantines nothing, and the agent must begin again [BX-02]', (answered) => {
    const { logged, out, state } = note([
      refusedWith(answered, hi, picture('a')),
      refusedWith(answered, hi, picture('a')),
    ]);
    expect({ logged, out }).toEqual({ logged: [], out: [] });
    expect(state.mustBeginAnew).toBe(true);
    expect(note([accepted(hi)], state).state.mustBeginAnew).toBe(false);
  });
});

describe('a quarantine', () => {
  it('continues in the next process with what it is given, as data', () => {
    const { state } = note([refusedWith(answers.named(0, 0), picture('a'))]);
    const next = beginQuarantine(JSON.parse(JSON.stringify(state.confirmed)));
    expect(listReplacements(next)).toEqual([{ wireSha256: 'a', code: 'invalid_value', isProvisional: false }]);
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });

  it('forgets, until the same is refused again', () => {
    const { state } = note([
      refusedWith(answers.named(0, 0), picture('a')),
      refusedWith(answers.media, hi, picture('b')),
    ]);
    const rest = forget(state, ['a', 'b']);
    expect(listReplacements(rest)).toEqual([]);
    expect(rest.provisional).toEqual([]);
    expect(note([refusedWith(answers.named(0, 0), picture('a'))], rest).logged).toHaveLength(1);
  });

  it('says in one line what was there', () => {
    expect(describeReplacement({ attachmentId: 'att_1', code: 'file_refused' })).toBe(
      '[attachment id=att_1 was refused by the model: file_refused]',
    );
    expect(describeReplacement({ code: 'unspecified' })).toBe('[a file was refused by the model: unspecified]');
  });
});
