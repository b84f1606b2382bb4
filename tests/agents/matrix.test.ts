import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentsStack, type InstalledRuntime, listInstalled, openAgentsStack } from './src/agents-stack.ts';
import { checkCompatibilityPage } from './src/compatibility-page.ts';
import { makeSamples, type SampleFile } from './src/files.ts';
import { type Cell, describeCell, type Matrix } from './src/matrix.ts';
import { openPlace, takeTurn, uploadSample } from './src/take-turn.ts';

const runtimes = await listInstalled(process.env);
const samples = await makeSamples();
const matrix: Matrix = new Map();
let stack: AgentsStack;
beforeAll(async () => {
  stack = await openAgentsStack(runtimes);
});
afterAll(() => stack?.stop());

/** Sends one file and tells what the plan made of it, what the receipt says was sent, and what the model's API got. */
async function send(place: Awaited<ReturnType<typeof openPlace>>, file: SampleFile): Promise<Cell> {
  const attachment = await uploadSample(stack.api, place, file);
  const before = stack.stub.requests.length;
  const sent = await takeTurn(stack.api, place, `What is in ${file.kind}?`, [attachment.id]);
  if (sent.status === 'blocked') return { status: 'blocked', codes: sent.codes };
  const asked = stack.stub.requests.slice(before).filter(({ isSide }) => !isSide);
  const { status, failure, receipt } = sent.delivery;
  expect(status, `${file.kind}: ${JSON.stringify(failure)}`).toBe('responded');
  return {
    status: 'delivered',
    items: receipt?.items ?? [],
    arrived: asked.flatMap(({ newAttachments }) => newAttachments),
    texts: asked.flatMap(({ texts }) => texts),
  };
}

const describeRuntime = (runtime: InstalledRuntime, ability: 'everything' | 'text') =>
  describe(`${runtime.key} ${runtime.installed.version} with a model that takes ${ability}`, () => {
    const profile = ability === 'text' ? `${runtime.key}-text` : runtime.key;
    let place: Awaited<ReturnType<typeof openPlace>>;
    beforeAll(async () => {
      place = await openPlace(stack.api, profile, runtime.model);
    });

    it.each(samples)(
      '$kind arrives as the receipt says, or is refused before the send [DL-36 DL-65 DL-103 BX-03 BX-19]',
      async (file) => {
        const cell = await send(place, file);
        matrix.set(`${profile} ${file.kind}`, describeCell(cell));
        if (cell.status === 'blocked') return expect(cell.codes).toHaveLength(1);
        // Text travels in words; everything else byte for byte.
        const sentDigests = cell.items.filter(({ form }) => form !== 'text').map(({ sha256 }) => sha256);
        expect(cell.arrived.map(({ sha256 }) => sha256)).toEqual(sentDigests);
        if (sentDigests.length === 0) expect(cell.texts.join('\n')).toMatch(/heliotrope|whales/);
        expect(cell.items.map(({ verdict }) => verdict)).toEqual(cell.items.map(() => 'delivered'));
      },
    );
  });

describe.each(['everything', 'text'] as const)('every kind of file, ability: %s', (ability) => {
  for (const runtime of runtimes) describeRuntime(runtime, ability);
});

describe('several files in one message', () => {
  it.each(runtimes)('all arrive, in their order, at $key [AT-27 DL-02 DL-03 DL-56 DL-91]', async (runtime) => {
    const place = await openPlace(stack.api, runtime.key, runtime.model);
    const carried = samples.filter(({ kind }) => matrix.get(`${runtime.key} ${kind}`)?.startsWith('native'));
    const files = [...carried, ...samples.filter(({ kind }) => kind === 'text')];
    const ids = [];
    for (const file of files) ids.push((await uploadSample(stack.api, place, file)).id);
    const before = stack.stub.requests.length;
    const sent = await takeTurn(stack.api, place, 'Compare these.', ids);
    expect(sent).toMatchObject({ status: 'delivered', delivery: { status: 'responded' } });
    const [asked] = stack.stub.requests.slice(before).filter(({ isSide }) => !isSide);
    const arrived = asked?.newAttachments.map(({ sha256 }) => sha256);
    expect(arrived).toEqual(carried.map(({ sha256 }) => sha256));
    expect(carried.length).toBeGreaterThan(1);
    const said = asked?.texts.join('\n') ?? '';
    expect(said).toContain('heliotrope');
    // Each is announced by one marker, whatever its file is called.
    for (const id of ids) expect(said.split(`[attachment id=${id} `)).toHaveLength(2);
  });

  it('says the same as docs/compatibility.md [DL-100]', async () => {
    expect(await checkCompatibilityPage(runtimes, samples, matrix)).toBeUndefined();
  });
});
