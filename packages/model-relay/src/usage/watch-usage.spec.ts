import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CountedUsage, ModelApi } from '../relay-types.ts';
import { watchUsage } from './watch-usage.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

const EVENTS = 'text/event-stream; charset=utf-8';

/** Reads the counts of a response that came in chunks which end at `cuts`. */
function read(api: ModelApi, text: string, { type = EVENTS, cuts = [] as readonly number[] } = {}) {
  const watch = watchUsage(api, { headers: { 'content-type': type } });
  const bytes = Buffer.from(text);
  const ends = [...cuts, bytes.length];
  for (const [index, end] of ends.entries()) watch.take(bytes.subarray(ends[index - 1] ?? 0, end));
  return watch.read();
}

const events = (...data: unknown[]): string =>
  data.map((each) => `event: x\ndata: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`).join('');

const counted = (inputTokens: number, cachedInputTokens: number, outputTokens: number): CountedUsage => ({
  ...{ inputTokens, cachedInputTokens, outputTokens },
});

const anthropicUsage = { input_tokens: 3, cache_creation_input_tokens: 20, cache_read_input_tokens: 100 };
const anthropicStream = events(
  { type: 'message_start', message: { id: 'm', content: [], usage: { ...anthropicUsage, output_tokens: 1 } } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '"usage":{"output_tokens":9}' } },
  {
    type: 'content_block_start',
    content_block: { type: 'tool_use', input: { usage: { output_tokens: 7, message: { usage: {} } } } },
  },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 42, input_tokens: null } },
  { type: 'message_stop' },
);

const responsesUsage = { input_tokens: 50, input_tokens_details: { cached_tokens: 40 }, output_tokens: 6 };
const chatUsage = { prompt_tokens: 50, completion_tokens: 6, prompt_tokens_details: { cached_tokens: 40 } };
const googleUsage = {
  promptTokenCount: 50,
  cachedContentTokenCount: 40,
  candidatesTokenCount: 4,
  thoughtsTokenCount: 2,
};

const streams: [ModelApi, string, CountedUsage][] = [
  ['anthropic', anthropicStream, counted(123, 100, 42)],
  [
    'openai-responses',
    events(
      { type: 'response.created', response: { usage: null, tools: [{ usage: { input_tokens: 1 } }] } },
      { type: 'response.output_text.delta', delta: 'usage' },
      { type: 'response.incomplete', response: { output: [{ usage: 3 }], usage: responsesUsage } },
    ),
    counted(50, 40, 6),
  ],
  [
    'openai-chat',
    events({ choices: [{ delta: { content: '{"usage":' } }] }, { choices: [], usage: chatUsage }, '[DONE]'),
    counted(50, 40, 6),
  ],
  [
    'google',
    events({ usageMetadata: { promptTokenCount: 50 } }, { candidates: [], usageMetadata: googleUsage }),
    counted(50, 40, 6),
  ],
];

describe('what a provider counted', () => {
  it.each(streams)('of %s is read from its stream, cached input as a part of the input', (api, text, usage) => {
    expect(read(api, text)).toEqual(usage);
    expect(read(api, text.replaceAll('\n', '\r\n'))).toEqual(usage);
    expect(read(api, text.replaceAll('\n', '\r'))).toEqual(usage);
  });

  it.each([
    ['anthropic', { content: [{ text: 'x' }], usage: { ...anthropicUsage, output_tokens: 42 } }, counted(123, 100, 42)],
    ['openai-responses', { output: [], usage: responsesUsage }, counted(50, 40, 6)],
    ['openai-chat', { choices: [{ message: { usage: 1 } }], usage: chatUsage }, counted(50, 40, 6)],
    ['google', { candidates: [], usageMetadata: googleUsage }, counted(50, 40, 6)],
    ['google', [{ usageMetadata: { promptTokenCount: 1 } }, { usageMetadata: googleUsage }], counted(50, 40, 6)],
  ] as const)('of %s is read from an answer in one piece: %j', (api, answer, usage) => {
    const type = 'application/json';
    expect(read(api, JSON.stringify(answer), { type })).toEqual(usage);
    expect(read(api, JSON.stringify(answer, null, 2), { type })).toEqual(usage);
  });

  it.each(streams)('of %s is the same wherever its stream is cut', (api, text, usage) => {
    const { length } = Buffer.from(text);
    for (let cut = 0; cut <= length; cut += 1) {
      expect(read(api, text, { cuts: [cut] })).toEqual(usage);
      const crlf = text.replaceAll('\n', '\r\n');
      expect(read(api, crlf, { cuts: [cut] })).toEqual(usage);
    }
    const each = Array.from({ length }, (_, index) => index);
    expect(read(api, text, { cuts: each })).toEqual(usage);
  });

  it('is nothing where the provider says nothing', () => {
    expect(read('openai-chat', events({ choices: [] }, '[DONE]'))).toBeUndefined();
    expect(read('anthropic', '')).toBeUndefined();
    expect(read('anthropic', 'no JSON', { type: 'application/json' })).toBeUndefined();
    expect(read('anthropic', '{"usage":{"output_tokens":5}}', { type: EVENTS })).toBeUndefined();
  });

  it('is all of it once the output is counted, and not where a stream broke off or counts nothing', () => {
    const isWhole = (api: ModelApi, text: string, type = EVENTS) => {
      const watch = watchUsage(api, { headers: { 'content-type': type } });
      watch.take(Buffer.from(text));
      return watch.isWhole();
    };
    for (const [api, text] of streams) expect(isWhole(api, text), api).toBe(true);
    expect(isWhole('anthropic', anthropicStream.slice(0, anthropicStream.indexOf('message_delta')))).toBe(false);
    expect(isWhole('google', events({ usageMetadata: { promptTokenCount: 50 } }))).toBe(false);
    expect(isWhole('openai-chat', events({ choices: [] }, '[DONE]'))).toBe(false);
    const nothing = JSON.stringify({ usage: { prompt_tokens: 0, completion_tokens: 0 } });
    expect(isWhole('openai-chat', nothing, 'application/json')).toBe(false);
    expect(isWhole('anthropic', '{"usage":{"input_tokens":3,"output_tokens":1}}', 'application/json')).toBe(true);
  });

  it('is what came before a stream broke off', () => {
    expect(read('anthropic', anthropicStream.slice(0, anthropicStream.indexOf('message_delta')))).toEqual(
      counted(123, 100, 1),
    );
  });
});

describe('an answer that lies', () => {
  const json = (text: string) => read('openai-chat', text, { type: 'application/json' });

  it.each([
    ...['-1', '1e300', '"7"', '0.5', 'true', 'null', '[7]', '{"a":7}', '1000000001', `${'1'.repeat(400)}`, '1-1', ''],
  ])('has no count in %s', (spelled) => {
    expect(json(`{"usage":{"prompt_tokens":${spelled},"completion_tokens":2}}`)?.inputTokens ?? 0).toBe(0);
    expect(json(`{"usage":{"completion_tokens":2,"prompt_tokens":${spelled}}}`)).toEqual(counted(0, 0, 2));
  });

  it.each([
    ['a number as another program may spell it', '{"usage":{"prompt_tokens":1e3}}', counted(1000, 0, 0)],
    ['a key with escapes', '{"us\\u0061ge":{"prompt_tokens":5}}', counted(5, 0, 0)],
    ['a key twice: the later counts', '{"usage":{"prompt_tokens":5},"usage":{"prompt_tokens":6}}', counted(6, 0, 0)],
    [
      'more cached than read',
      '{"usage":{"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":9}}}',
      counted(5, 5, 0),
    ],
    [
      'a key of every object',
      '{"__proto__":{"prompt_tokens":5},"usage":{"constructor":1,"prompt_tokens":7}}',
      counted(7, 0, 0),
    ],
    ['a long key', `{"${'k'.repeat(100_000)}":{"prompt_tokens":5},"usage":{"prompt_tokens":7}}`, counted(7, 0, 0)],
    [
      'what is deep',
      `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)},"usage":{"prompt_tokens":7}}`,
      counted(7, 0, 0),
    ],
    ['brackets that never close', '{'.repeat(500_000), undefined],
    ['a text that looks like it', JSON.stringify({ content: '"usage":{"prompt_tokens":5}', a: '\\' }), undefined],
    ['a list of them', '{"usage":[{"prompt_tokens":5}]}', undefined],
  ])('is read as it is: %s', (_, text, usage) => {
    expect(json(text)).toEqual(usage);
  });

  it('spoils one event and none behind it', () => {
    const usage = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 1 } };
    for (const broken of ['{"a":', '{"usage":{"prompt_tokens":"', '}{', '"', '[[[', '\\'])
      expect(read('openai-chat', events(broken, usage))).toEqual(counted(5, 0, 1));
  });

  it('is an event of many lines, or has fields of other names', () => {
    const text =
      ': "usage"\nid: {"usage":{"prompt_tokens":1}}\ndata:{"usage":\ndata: {"prompt_tokens":5\ndata: }}\ndat: x\ndata\n\n';
    expect(read('openai-chat', text)).toEqual(counted(5, 0, 0));
  });

  it('is an event of 100 MB, of which nothing is kept', () => {
    const watch = watchUsage('openai-chat', { headers: { 'content-type': EVENTS } });
    watch.take(Buffer.from('data: {"choices":[{"delta":{"content":"'));
    const piece = Buffer.alloc(1_000_000, 'a');
    const before = process.memoryUsage().heapUsed + process.memoryUsage().external;
    for (let count = 0; count < 100; count += 1) watch.take(piece);
    expect(process.memoryUsage().heapUsed + process.memoryUsage().external - before).toBeLessThan(20_000_000);
    watch.take(Buffer.from('"}}],"usage":{"prompt_tokens":5}}\n\n'));
    expect(watch.read()).toEqual(counted(5, 0, 0));
  });

  it('is the same wherever it is cut, whatever it is made of, and breaks nothing', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      ' ',
      '\r',
      '\n',
      '\n\n',
      'data:',
      'data: ',
      '7',
      '-1e9',
      'null',
      'x',
      '\u0000',
      'ü',
    ];
    const words = [
      '"usage"',
      '"prompt_tokens"',
      '{"usage":{"prompt_tokens":',
      '"completion_tokens":12',
      '[DONE]',
      'event: x',
    ];
    const text = fc.array(fc.constantFrom(...pieces, ...words), { maxLength: 40 }).map((all) => all.join(''));
    const type = fc.constantFrom(EVENTS, 'application/json');
    fc.assert(
      fc.property(text, type, fc.array(fc.nat(200), { maxLength: 8 }), (said, kind, given) => {
        const { length } = Buffer.from(said);
        const cuts = given.filter((cut) => cut < length).toSorted((a, b) => a - b);
        expect(read('openai-chat', said, { type: kind, cuts })).toEqual(read('openai-chat', said, { type: kind }));
      }),
      { numRuns: isShort ? 200 : 3_000 },
    );
  });
});
