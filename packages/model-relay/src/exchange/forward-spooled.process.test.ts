import { Fault } from '@attache/contracts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { inTime, makeSpoolFolder } from '../__fixtures__/refused-requests.ts';
import { ask, type Given, paths, startRelayed } from '../__fixtures__/relayed.ts';
import { dataUrlOf, makePng } from '../__fixtures__/wire-media.ts';
import type { ModelApi, Overflow, Replacement, WholeRequest } from '../relay-types.ts';

let spool: Awaited<ReturnType<typeof makeSpoolFolder>>;
beforeAll(async () => {
  spool = await makeSpoolFolder();
});
afterAll(() => spool.remove());

const text = '[attachment id=att_1 was set aside]';
const [a, b, c] = [makePng(40, 30, 3_000), makePng(30, 40, 3_001), makePng(20, 20, 3_002)];

/** A picture in a message of the user, and what the model said to the one before, in the form of each API. */
const forms: Readonly<
  Record<ModelApi, { key: string; say: (...bytes: Buffer[]) => object; answer: object; aside: string }>
> = {
  anthropic: {
    key: 'messages',
    say: (...all) => ({
      role: 'user',
      content: all.map((bytes) => ({
        ...{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') } },
      })),
    }),
    answer: { role: 'assistant', content: 'yes' },
    aside: JSON.stringify({ type: 'text', text }),
  },
  'openai-responses': {
    key: 'input',
    say: (...all) => ({
      role: 'user',
      content: all.map((bytes) => ({ type: 'input_image', image_url: dataUrlOf(bytes) })),
    }),
    answer: { role: 'assistant', content: [{ type: 'output_text', text: 'yes' }] },
    aside: JSON.stringify({ type: 'input_text', text }),
  },
  'openai-chat': {
    key: 'messages',
    say: (...all) => ({
      role: 'user',
      content: all.map((bytes) => ({ type: 'image_url', image_url: { url: dataUrlOf(bytes) } })),
    }),
    answer: { role: 'assistant', content: 'yes' },
    aside: JSON.stringify({ type: 'text', text }),
  },
  google: {
    key: 'contents',
    say: (...all) => ({
      role: 'user',
      parts: all.map((bytes) => ({ inlineData: { mimeType: 'image/png', data: bytes.toString('base64') } })),
    }),
    answer: { role: 'model', parts: [{ text: 'yes' }] },
    aside: JSON.stringify({ text }),
  },
};
const apis = Object.keys(forms) as ModelApi[];

/** A body whose messages end it, so that a later one begins with it. */
const toBody = (api: ModelApi, messages: readonly object[]) =>
  `${JSON.stringify({ ...(api === 'google' ? {} : { model: 'm' }), [forms[api].key]: messages }).slice(0, -2)}`;

/** Sets the first one of each picture aside once a request has more than two. */
function setAsideAbove(max: number) {
  const replacements = new Map<string, Replacement>();
  const asked: WholeRequest[] = [];
  const overflow: Overflow = {
    isLikely: () => true,
    async makeRoom(request) {
      asked.push(request);
      const media = request.content.blocks.flatMap((block) => (block.kind === 'media' ? [block.sha256] : []));
      const [oldest] = media;
      if (media.length > max && oldest !== undefined) replacements.set(oldest, { text, first: 1 });
    },
  };
  return { asked, given: { replacements: () => replacements, overflow } satisfies Given };
}

describe('a request with more than its model takes', () => {
  it.each(apis)(
    'goes out with a text for what is set aside, of the same bytes in each later one: %s [BX-33 BX-04]',
    async (api) => {
      await using relayed = await startRelayed({}, spool.folder);
      const { asked, given } = setAsideAbove(2);
      const opened = relayed.open({ ...given, endpoint: { api } });
      const { say, answer, aside } = forms[api];
      const messages = [say(a, b)];
      const bodies: string[] = [];
      // The picture that is out comes again, and is a new one.
      for (const next of [[c], [a], []]) {
        bodies.push(toBody(api, messages));
        expect((await ask(opened, { path: paths[api], body: `${bodies.at(-1)}]}` })).status).toBe(200);
        messages.push(answer, say(...next));
      }
      const sent = relayed.provider.seen.map(({ body }) => body.toString());
      const [first = '', second = '', third = ''] = bodies;
      const spelled = JSON.stringify(say(a)).slice(0, -2).split('[')[1] ?? '';
      expect(sent[0]).toBe(`${first}]}`);
      expect(sent[1]).toBe(`${second.replace(spelled, aside)}]}`);
      expect(sent[2]).toBe(`${third.replace(spelled, aside)}]}`);
      expect(third.split(spelled)).toHaveLength(3);
      expect(sent[2]?.startsWith(sent[1]?.slice(0, -2) ?? '?')).toBe(true);
      expect(asked.map(({ model, sizeBytes }) => [model, sizeBytes])).toEqual(
        bodies.map((body) => ['m', Buffer.byteLength(body) + 2]),
      );
      await vi.waitFor(
        () => expect(relayed.records.map(({ replacedBlocks }) => replacedBlocks)).toEqual([undefined, 1, 1]),
        inTime,
      );
    },
  );

  const large = (messages: readonly object[]) => `${toBody('anthropic', messages)}]}`;

  it('is measured without what is set aside, and refused only where it is still too large', async () => {
    await using relayed = await startRelayed({}, spool.folder);
    const body = large([forms.anthropic.say(a, b, c)]);
    const { given } = setAsideAbove(2);
    const maxRequestBytes = body.length - 1_000;
    expect((await ask(relayed.open({ ...given, maxRequestBytes }), { body })).status).toBe(200);
    const other = setAsideAbove(3);
    expect((await ask(relayed.open({ ...other.given, maxRequestBytes }), { body })).status).toBe(413);
    expect(relayed.provider.countBegun()).toBe(1);
    await spool.expectNothingLeft();
  });

  it('does not go where what is set aside cannot be kept', async () => {
    await using relayed = await startRelayed({}, spool.folder);
    const { given } = setAsideAbove(2);
    const makeRoom = () => Promise.reject(new Fault('OWNERSHIP_LOST', 'Another gateway has it.'));
    const opened = relayed.open({ ...given, overflow: { ...given.overflow, makeRoom } });
    const answered = await ask(opened, { body: large([forms.anthropic.say(a, b, c)]) });
    expect([answered.status, relayed.provider.countBegun()]).toEqual([503, 0]);
    await vi.waitFor(() => expect(relayed.records).toMatchObject([{ refused: 'relay_ownership_lost' }]), inTime);
    await spool.expectNothingLeft();
  });

  it('streams through while none is likely, with its own limit', async () => {
    await using relayed = await startRelayed({}, spool.folder);
    const { asked, given } = setAsideAbove(2);
    const overflow = { ...given.overflow, isLikely: () => false };
    const body = large([forms.anthropic.say(a, b, c)]);
    expect((await ask(relayed.open({ ...given, overflow }), { body })).status).toBe(200);
    expect(relayed.provider.seen[0]?.body.toString()).toBe(body);
    expect((await ask(relayed.open({ ...given, overflow, maxRequestBytes: 1_000 }), { body })).status).toBe(413);
    expect(asked).toEqual([]);
  });

  it('is asked about only where it generates, and was read without doubt', async () => {
    await using relayed = await startRelayed({}, spool.folder);
    const { asked, given } = setAsideAbove(0);
    const opened = relayed.open(given);
    const body = large([forms.anthropic.say(a)]);
    await ask(opened, { body, path: `${paths.anthropic}/count_tokens` });
    await ask(opened, { body: body.replace('"role":"user"', '"role":"user","role":"user"') });
    expect(asked).toEqual([]);
    expect(relayed.provider.countBegun()).toBe(2);
  });
});
