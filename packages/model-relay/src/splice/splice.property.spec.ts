import { describe, expect, it } from 'vitest';
import type { ModelApi } from '../relay-types.ts';
import {
  apis,
  bad,
  cached,
  good,
  image,
  inline,
  input,
  pdf,
  replacements,
  spellings,
  url,
  words,
} from './__fixtures__/refused-bodies.ts';
import { replaceParsed } from './__fixtures__/replace-parsed.ts';
import { spliceBody } from './__fixtures__/splice-body.ts';

const SEEDS = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 40 : 150;

describe('a refused block in a conversation of any shape', () => {
  const partsOf: Readonly<Record<ModelApi, (random: Random) => object>> = {
    anthropic: (random) =>
      pick(random, [image(bad), image(good), image(bad, cached), { type: 'text', text: words }, image(pdf)]),
    'openai-responses': (random) => pick(random, [input(bad), input(good), { type: 'input_text', text: words }]),
    'openai-chat': (random) => pick(random, [url(bad), url(good), { type: 'text', text: words }]),
    google: (random) => pick(random, [inline(bad), inline(good), { text: words }]),
  };

  function makeMessage(api: ModelApi, random: Random): object {
    const parts = Array.from({ length: Math.floor(random() * 4) }, () => partsOf[api](random));
    const role = pick(random, ['user', 'user', 'assistant']);
    if (api === 'google') return { role: role === 'user' ? role : 'model', parts };
    if (api === 'anthropic' && random() < 0.5)
      return { role, content: [{ type: 'tool_result', tool_use_id: 'c', content: parts }] };
    if (api === 'openai-responses' && random() < 0.5)
      return { type: 'function_call_output', call_id: 'c', output: parts };
    return api === 'openai-chat' && random() < 0.5 ? { role: 'tool', content: parts } : { role, content: parts };
  }

  it.each(apis)('is a text in what is sent, and nothing else is altered: %s [BX-02]', (api) => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const random = createRandom(seed);
      const key = api === 'google' ? 'contents' : api === 'openai-responses' ? 'input' : 'messages';
      const body = { [key]: Array.from({ length: 6 }, () => makeMessage(api, random)), model: 'm' };
      const json = escapeSome(pick(random, spellings)(JSON.stringify(body)), random);
      const cuts = [random(), random(), random()]
        .map((part) => Math.floor(part * Buffer.byteLength(json)))
        .sort((a, b) => a - b);
      const sent = JSON.parse(spliceBody(api, json, cuts).body);
      expect(sent, `seed ${seed}`).toEqual(replaceParsed(api, JSON.parse(json), replacements));
    }
  });
});

type Random = () => number;

/** Numbers from 0 to before 1, the same for each seed. */
function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) / 2 ** 23;
  };
}

const pick = <Value>(random: Random, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value;

/** Spells some letters by their number. */
const escapeSome = (json: string, random: Random): string =>
  json.replace(/(?<!\\)(?<!\\u[0-9A-Fa-f]{0,3})[G-Zg-mo-qs-tv-z](?=[^"]*")/g, (letter) =>
    random() < 0.02 ? `\\u00${letter.charCodeAt(0).toString(16)}` : letter,
  );
