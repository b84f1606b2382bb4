import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Fault } from '@attache/contracts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bad, hi, image, inTime, makeSpoolFolder, text, toBody } from '../__fixtures__/refused-requests.ts';
import { ask, type Given, startRelayed } from '../__fixtures__/relayed.ts';
import { makePng, sha256Of } from '../__fixtures__/wire-media.ts';
import type { RefusedRequest, RelayOptions, Replacement } from '../relay-types.ts';

let spool: Awaited<ReturnType<typeof makeSpoolFolder>>;
beforeAll(async () => {
  spool = await makeSpoolFolder();
});
afterAll(() => spool.remove());

const newer = makePng(20, 20, 3_001);
const body = toBody([image(bad), image(newer), hi]);
const mended = toBody([{ type: 'text', text }, image(newer), hi]);
const refusal = JSON.stringify({ type: 'error', error: { message: 'messages.0.content.0.image: the-real-key' } });

const masked = refusal.replace('the-real-key', '*'.repeat(12));

/** Takes the picture out that was named, once the refusal is reported. */
function takeOutNamed(named: readonly Buffer[] = [bad]) {
  const replacements = new Map<string, Replacement>();
  const asked: RefusedRequest[] = [];
  const given: Given = {
    replacements: () => replacements,
    mending: {
      isLikely: () => true,
      listNamed(request) {
        asked.push(request);
        return named.map(sha256Of);
      },
    },
  };
  return { asked, given, takeOut: () => named.forEach((bytes) => void replacements.set(sha256Of(bytes), { text })) };
}

type Answer = (response: ServerResponse, body: string) => void;
const refuseWith =
  (status: number, said = refusal): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', 'x-said': 'so' }).end(said);
const accept: Answer = (response) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('{"answered":true}');

/** Sends a request to a provider that answers one request after the other so, and the last of them each further one. */
async function send(
  { given, takeOut }: Pick<ReturnType<typeof takeOutNamed>, 'given' | 'takeOut'>,
  answers: readonly Answer[],
  { limits = {}, ...asked }: Parameters<typeof ask>[1] & { limits?: RelayOptions['limits'] } = {},
) {
  await using relayed = await startRelayed(limits, spool.folder);
  const bodies: string[] = [];
  relayed.provider.behave(async (request, response) => {
    const got = (await buffer(request)).toString();
    bodies.push(got);
    (answers[bodies.length - 1] ?? answers.at(-1))?.(response, got);
  });
  const opened = relayed.open({
    watchRequest: () => (record) => {
      relayed.records.push(record);
      takeOut();
    },
    ...given,
  });
  const answered = await ask(opened, { body, ...asked });
  await spool.expectNothingLeft();
  await vi.waitFor(() => expect(relayed.records.at(-1)?.isMended).toBeUndefined(), inTime);
  return { answered, bodies, records: relayed.records };
}

describe('a request whose provider names a part that it refuses', () => {
  it('is sent again without it: its program sees the second answer alone, and both are recorded [BX-02]', async () => {
    const { asked, ...mending } = takeOutNamed();
    const { answered, bodies, records } = await send(mending, [refuseWith(400), accept]);
    expect(answered).toMatchObject({ status: 200, text: '{"answered":true}' });
    expect(answered.headers).not.toHaveProperty('x-said');
    expect(bodies).toEqual([body, mended]);
    expect(records).toMatchObject([
      { status: 400, isMended: true, answer: { status: 400, refusal: { text: masked } }, hasLeft: true },
      { status: 200, replacedBlocks: 1, answer: { status: 200, hasBegun: true } },
    ]);
    const blocksOf = (index: number) =>
      records[index]?.content?.blocks.map((block) => block.kind !== 'other' && block.isReplaced === true);
    expect([blocksOf(0), blocksOf(1)]).toEqual([
      [false, false, false],
      [true, false, false],
    ]);
    expect(asked).toMatchObject([{ model: 'm', answer: { refusal: { status: 400, text: masked } } }]);
  });

  it('passes the second refusal, where that names nothing more', async () => {
    const last = refuseWith(400, '{"error":"too long"}');
    const { answered, bodies, records } = await send(takeOutNamed(), [refuseWith(400), last]);
    expect(answered).toMatchObject({ status: 400, text: '{"error":"too long"}', headers: { 'x-said': 'so' } });
    expect(bodies).toEqual([body, mended]);
    expect(records).toHaveLength(2);
  });

  it.each<[string, Parameters<typeof send>]>([
    ['that is about no part', [takeOutNamed([]), [refuseWith(400)]]],
    ['that names what is not in it', [takeOutNamed([makePng(1, 1)]), [refuseWith(400)]]],
    ['for its rate', [takeOutNamed(), [refuseWith(429)]]],
    ['longer than one is', [takeOutNamed([]), [refuseWith(400, refusal + ' '.repeat(300_000))]]],
    ['of a body that is too large to be kept', [takeOutNamed(), [refuseWith(400)], { limits: { maxSpoolBytes: 999 } }]],
    [
      'of a body of no known length',
      [takeOutNamed(), [refuseWith(400)], { headers: { 'transfer-encoding': 'chunked' } }],
    ],
  ])('gets a refusal as it is %s, without a key in it', async (_, [mending, answers, given]) => {
    const { answered, bodies } = await send(mending, answers, given);
    expect(answered.status).toBeGreaterThanOrEqual(400);
    expect(answered.text.trimEnd()).toBe(masked);
    expect(answered.headers).toMatchObject({ 'x-said': 'so' });
    expect(bodies).toHaveLength(1);
  });

  it('is sent again a few times at most', async () => {
    const pictures = Array.from({ length: 9 }, (_, index) => makePng(10, 10, 3_010 + index));
    const replacements = new Map<string, Replacement>();
    let named = 0;
    const given: Given = {
      replacements: () => replacements,
      mending: { isLikely: () => true, listNamed: () => [sha256Of(pictures[named] ?? bad)] },
    };
    const takeOut = () => {
      replacements.set(sha256Of(pictures[named] ?? bad), { text });
      named += 1;
    };
    const asked = { body: toBody(pictures.map(image)) };
    const { answered, bodies } = await send({ given, takeOut }, [refuseWith(400)], asked);
    expect(answered.status).toBe(400);
    expect(bodies).toHaveLength(5);
  });

  it('goes no second time once its session has another owner', async () => {
    const { given, takeOut } = takeOutNamed();
    const allowForward = vi
      .fn<() => Promise<void>>()
      .mockResolvedValueOnce()
      .mockRejectedValue(new Fault('OWNERSHIP_LOST', 'another one'));
    const { answered, bodies } = await send({ given: { ...given, allowForward }, takeOut }, [refuseWith(400), accept]);
    expect(answered.status).toBe(503);
    expect(bodies).toHaveLength(1);
  });

  it('streams where no file is to be expected in it', async () => {
    const { given, takeOut } = takeOutNamed();
    const mending = { isLikely: () => false, listNamed: () => [sha256Of(bad)] };
    const { answered, bodies } = await send({ given: { ...given, mending }, takeOut }, [refuseWith(400)]);
    expect([answered.status, bodies.length]).toEqual([400, 1]);
  });

  it('is answered with a failure of the relay where the refusal cannot be judged', async () => {
    const listNamed = () => {
      throw new Error('of the gateway');
    };
    const given: Given = { replacements: () => new Map(), mending: { isLikely: () => true, listNamed } };
    const { answered, bodies } = await send({ given, takeOut: () => {} }, [refuseWith(400)]);
    expect([answered.status, bodies.length]).toEqual([502, 1]);
  });

  it('ends with a provider that breaks its refusal off', async () => {
    const breakOff: Answer = (response) => {
      response.writeHead(400, { 'content-length': 1_000 }).write('{');
      setImmediate(() => response.destroy());
    };
    await expect(send(takeOutNamed([]), [breakOff])).rejects.toThrow();
  });
});
