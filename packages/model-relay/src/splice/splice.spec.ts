import { describe, expect, it } from 'vitest';
import { readBody } from '../__fixtures__/read-body.ts';
import type { RelayedContent } from '../content/content-types.ts';
import {
  anthropic,
  apis,
  bad,
  bodies,
  good,
  image,
  replacements,
  spellings,
  text,
} from './__fixtures__/refused-bodies.ts';
import { replaceParsed } from './__fixtures__/replace-parsed.ts';
import { spliceBody as splice } from './__fixtures__/splice-body.ts';
import { listPieces } from './list-pieces.ts';
import { planSplices } from './plan-splices.ts';

const CUT_STEP = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 47 : 1;

describe('a refused block', () => {
  it.each(apis)(
    'is a text in what is sent, wherever the body is cut, and nothing else is altered: %s [BX-02]',
    (api) => {
      for (const spell of spellings) {
        const json = spell(JSON.stringify(bodies[api]));
        const whole = splice(api, json);
        expect(JSON.parse(whole.body)).toEqual(replaceParsed(api, JSON.parse(json), replacements));
        expect(whole.count).toBeGreaterThan(2);
        const cuts = Array.from({ length: Buffer.byteLength(json) - 1 }, (_, index) => index + 1);
        expect(splice(api, json, cuts).body).toBe(whole.body);
        const isOther = (cut: number) => splice(api, json, [cut]).body !== whole.body;
        if (spell === spellings[2]) expect(cuts.filter((cut) => cut % CUT_STEP === 0).filter(isOther)).toEqual([]);
      }
    },
  );

  it('leaves each byte around it as it came', () => {
    for (const [api, spell] of apis.flatMap((each) => spellings.map((spelling) => [each, spelling] as const))) {
      const json = spell(JSON.stringify(bodies[api]));
      const bytes = Buffer.from(json);
      const splices = planSplices((readBody(json, { api }) as RelayedContent).blocks, replacements);
      for (const one of splices) {
        const { start, end } = one.block.range;
        const pieces = [...listPieces(api, [one], bytes.length)];
        expect(pieces[0]).toEqual({ start: 0, end: start });
        expect(pieces.at(-1)).toEqual({ start: end, end: bytes.length });
      }
      const kept = [...listPieces(api, splices, bytes.length)].filter((piece) => 'start' in piece);
      const apart = kept.filter((range) => !splices.some(({ block }) => block.cacheControl === range));
      expect(apart.map(({ start }) => start)).toEqual([0, ...splices.map(({ block }) => block.range.end)]);
      expect(apart.map(({ end }) => end)).toEqual([...splices.map(({ block }) => block.range.start), bytes.length]);
    }
  });

  it('keeps what it says of the cache, byte by byte', () => {
    const odd = '{ "type" :"ephemeral",\t"ttl":"\\u0031h"}';
    const block = JSON.stringify(image(bad)).slice(0, -1);
    const json = `{"model":"m","messages":[{"role":"user","content":[${block},"cache_control":  ${odd} }]}]}`;
    expect(splice('anthropic', json).body).toContain(
      `{"type":"text","text":${JSON.stringify(text)},"cache_control":${odd}}`,
    );
  });

  it('comes as the same bytes in the next request, which begins as far as the one before did', () => {
    for (const api of apis) {
      const body = bodies[api] as Record<string, unknown>;
      const key = api === 'google' ? 'contents' : api === 'openai-responses' ? 'input' : 'messages';
      const history = body[key] as unknown[];
      const next = { ...body, [key]: [...history, { role: 'user', [api === 'google' ? 'parts' : 'content']: [] }] };
      const [first, second] = [body, next].map((each) => JSON.stringify({ [key]: each[key], model: 'm' })) as [
        string,
        string,
      ];
      const [was, is] = [first, second].map((json) => splice(api, json).body) as [string, string];
      const history0 = was.slice(0, was.lastIndexOf(']'));
      expect(is.startsWith(history0)).toBe(true);
      expect(second.startsWith(first.slice(0, first.lastIndexOf(']')))).toBe(true);
    }
  });

  it('says where it is', () => {
    const paths = splice('anthropic', JSON.stringify(anthropic)).blocks.map(({ path }) => path.join('.'));
    expect(paths).toEqual([
      ...['0', '1.0', '1.1', '2.0.0', '2.0.1', '2.0.2', '2.0', '2.1', '2.2', '2.3', '2.4', '2.5', '2.6', '3.0'],
    ]);
  });
});

describe('a request goes out as it came', () => {
  const json = JSON.stringify(anthropic);
  it.each([
    ['a key comes twice', json.replace('"role":"user"', '"role":"user","role":"user"')],
    ['the refused file is not the standard base64', only(image(Buffer.alloc(60, 0xff))).replaceAll('/', '_')],
    ['it holds more than 8,192 blocks', withBlocks(10_000)],
    ['it lies in a list of its own', only([image(bad)])],
    ['none of it was refused', JSON.stringify({ model: 'm', messages: [{ role: 'user', content: [image(good)] }] })],
    [
      'it has only what no text may replace',
      JSON.stringify({ model: 'm', messages: [{ role: 'user', content: image(bad) }] }),
    ],
  ])('where %s', (_, body) => {
    expect(splice('anthropic', body)).toMatchObject({ body, count: 0 });
  });

  it('as a whole, where one of its refused blocks is in doubt', () => {
    const odd = { ...image(bad), text: 'and a text' };
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: [image(bad), odd] }] });
    expect(splice('anthropic', body)).toMatchObject({ body, count: 0 });
  });
});

function withBlocks(count: number): string {
  const content = Array.from({ length: count }, () => ({ type: 'text', text: 'x' }));
  return JSON.stringify({ model: 'm', messages: [{ role: 'user', content: [image(bad), ...content] }] });
}

function only(block: object): string {
  return JSON.stringify({ model: 'm', messages: [{ role: 'user', content: [block] }] });
}
