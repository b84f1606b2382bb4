import { describe, expect, it } from 'vitest';
import { readBody } from '../__fixtures__/read-body.ts';
import { sha256Of } from '../__fixtures__/wire-media.ts';
import type { ModelApi } from '../relay-types.ts';
import { bodies, context, file, pdf, png, spellOddly, wav, words } from './__fixtures__/bodies-of-apis.ts';
import type { RelayedContent } from './content-types.ts';
import { digestText } from './digest-text.ts';

const CUT_STEP = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 7 : 1;

const read = (api: ModelApi, body: object = bodies[api]): RelayedContent => {
  const content = readBody(JSON.stringify(body), { api });
  if (content === undefined || content === 'refused') throw new Error(`not whole: ${content}`);
  return content;
};

/** Each block in a word or two. */
function describeBlocks({ blocks }: RelayedContent): string[] {
  const names = new Map([
    ...([
      [sha256Of(png), 'png'],
      [sha256Of(pdf), 'pdf'],
      [sha256Of(wav), 'wav'],
    ] as const),
    ...[{ words }, { file }, { context }].flatMap((texts) =>
      Object.entries(texts).map(([name, text]) => [digestText(text).sha256, name] as const),
    ),
  ]);
  const nameOf = (sha256: string) => names.get(sha256) ?? '?';
  return blocks.map((block) => {
    if (block.kind === 'other') return `${block.place} other`;
    const framed = block.kind === 'text' ? block.framed.map((text) => ` [${nameOf(text.sha256)}]`) : [];
    const size = block.kind === 'media' && block.width ? ` ${block.width}x${block.height}` : '';
    const type = block.kind === 'media' ? ` ${block.mimeType}` : '';
    const holds = nameOf(block.kind === 'media' ? block.sha256 : (block.whole?.sha256 ?? ''));
    return `${block.place} ${holds}${type}${size}${framed.join('')}${block.isReadable ? '' : ' unreadable'}`;
  });
}

const picture = 'png image/png 40x30';
const seen: Record<ModelApi, string[]> = {
  anthropic: [
    ...['user ?', 'assistant other', 'tool-result ?', `tool-result ${picture}`, 'user other'],
    ...['user context [words]', 'user pdf application/pdf', 'user words', 'user ? undefined unreadable'],
  ],
  'openai-responses': [
    ...['system other', 'user context [words]', `user ${picture}`, 'user pdf application/pdf', 'user wav audio/wav'],
    ...['assistant other', 'tool-result file [words]', `tool-result ${picture}`, 'tool-result other'],
    ...['tool-result ?', 'tool-result other'],
  ],
  'openai-chat': [
    ...['system ?', 'user file [words]', `user ${picture}`, 'user wav audio/wav', 'user pdf application/pdf'],
    ...['assistant other', 'tool-result ?', 'tool-result other'],
  ],
  google: [
    ...['user file [words]', `user ${picture}`, 'user words', 'assistant other'],
    ...['tool-result pdf application/pdf', 'tool-result other', `tool-result ${picture}`],
  ],
};

describe('what a request holds', () => {
  it.each(Object.keys(bodies) as ModelApi[])('is found in order, with whose it is: %s [BX-23]', (api) => {
    const content = read(api);
    expect(describeBlocks(content)).toEqual(seen[api]);
    expect(content).toMatchObject({ hasTools: api !== 'openai-chat', hasAnswerForm: false, hasErrandText: false });
  });

  it.each(Object.keys(bodies) as ModelApi[])('comes with the bytes that can be replaced: %s', (api) => {
    const json = JSON.stringify(bodies[api]);
    const bytes = Buffer.from(json);
    for (const block of read(api).blocks) {
      if (block.kind === 'other') continue;
      const part = JSON.parse(bytes.toString('utf8', block.range.start, block.range.end));
      expect(typeof part).toBe(block.isString ? 'string' : 'object');
      if (block.kind === 'text' && block.isString && block.whole) expect(digestText(part)).toEqual(block.whole);
      const replaced = `${bytes.toString('utf8', 0, block.range.start)}{"is":"replaced"}${bytes.toString('utf8', block.range.end)}`;
      expect(() => JSON.parse(replaced)).not.toThrow();
      if (block.cacheControl !== undefined) {
        const value = bytes.toString('utf8', block.cacheControl.start, block.cacheControl.end);
        expect(JSON.parse(value)).toEqual(part.cache_control);
      } else expect(part.cache_control).toBeUndefined();
    }
  });

  it.each(Object.keys(bodies) as ModelApi[])('is the same wherever the body is cut: %s', (api) => {
    const escaped = spellOddly(api);
    const length = Buffer.byteLength(escaped);
    const whole = readBody(escaped, { api });
    expect(whole).toMatchObject({ hasTools: api !== 'openai-chat' });
    const bytes = Array.from({ length: length - 1 }, (_, index) => index + 1);
    expect(readBody(escaped, { api, cuts: bytes })).toEqual(whole);
    // To compare text costs a tenth of `toEqual`.
    const spelled = JSON.stringify(whole);
    const isOther = (cut: number) => JSON.stringify(readBody(escaped, { api, cuts: [cut] })) !== spelled;
    expect(bytes.filter((cut) => cut % CUT_STEP === 0).filter(isOther)).toEqual([]);
  });
});

describe('blocks of two requests are the same', () => {
  const keysOf = (body: object) => read('anthropic', body).blocks.map(({ key }) => key);
  const ask = (content: unknown) => ({ model: 'm', messages: [{ role: 'user', content }] });
  it('whatever is cached, and whether a text is a list or not', () => {
    const cached = { cache_control: { type: 'ephemeral' } };
    expect(keysOf(ask([{ type: 'text', text: words, ...cached }]))).toEqual(keysOf(ask(words)));
    const call = { type: 'tool_use', id: 'c', input: {} };
    expect(keysOf(ask([{ ...call, ...cached }]))).toEqual(keysOf(ask([call])));
    expect(keysOf(ask([{ ...call, id: 'd' }]))).not.toEqual(keysOf(ask([call])));
  });
});
