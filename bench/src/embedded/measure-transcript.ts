import { measureOwnRise } from '../processes/process-cost.ts';
import type { HttpClient } from '../product/http-client.ts';
import { createSession, endSession, parseAnswer, sendMessage, waitUntilResponded } from '../product/product-calls.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, summarise, time } from '../report/sample.ts';
import type { EmbeddedBench } from './bench.ts';

const ROUNDS = 100;
const FEW = 100;
const MANY = 10_000;
const MAX_RATIO = 1.3;
const PAGE_EVENTS = 50;
/** Messages that wait for one agent at once. */
const AT_ONCE = 40;
const MEBIBYTE = 1024 * 1024;

type Page = { items: { seq: number }[]; nextCursor: string | null };

async function readPage(client: HttpClient, sessionId: string, query: string): Promise<Page> {
  const path = `/sessions/${sessionId}/transcript?limit=${PAGE_EVENTS}${query}`;
  return parseAnswer<Page>(await client.send({ method: 'GET', path }), 200);
}

async function readLastSeq(client: HttpClient, sessionId: string, after: number): Promise<number> {
  let last = after;
  for (let cursor: string | null = String(after); cursor !== null; ) {
    const page = await readPage(client, sessionId, `&after=${cursor}`);
    last = Number(page.nextCursor ?? page.items.at(-1)?.seq ?? last);
    cursor = page.nextCursor;
  }
  return last;
}

/** A session whose log has at least so many events, by messages that its agent has answered. */
async function fillSession(client: HttpClient, eventCount: number): Promise<string> {
  const { session, agent } = await createSession(client);
  const draft = { to: [agent.id], text: 'What do the figures of this week say?', attachmentIds: [] };
  for (let seq = 0; seq < eventCount; seq = await readLastSeq(client, session.id, seq)) {
    let lastId = '';
    const count = eventCount > FEW ? AT_ONCE : 1;
    for (let sent = 0; sent < count; sent += 1) lastId = (await sendMessage(client, session.id, draft)).id;
    await waitUntilResponded(client, lastId);
  }
  return session.id;
}

/** The time for a page of a transcript of a long log, and the memory for reading all of it. */
export async function measureTranscript({ product, counted, say }: EmbeddedBench): Promise<Result[]> {
  say('  transcripts');
  const { client, pid } = product;
  const [few, many] = [await fillSession(client, FEW), await fillSession(client, MANY)];
  const timePage = (sessionId: string, query: string) => async () => {
    const { result, tookMs } = await time(() => readPage(client, sessionId, query));
    if (result.items.length === 0) throw new Error('A page without an entry was timed.');
    return tookMs;
  };
  const samples = await interleave(
    { warm: 10, counted: counted(ROUNDS) },
    { floor: timePage(few, ''), product: timePage(many, '') },
  );
  const ends = await interleave(
    { warm: 10, counted: counted(ROUNDS) },
    { floor: timePage(few, ''), product: timePage(many, `&after=${MANY - PAGE_EVENTS}`) },
  );
  await readLastSeq(client, many, 0);
  const rise = (await measureOwnRise(pid, () => readLastSeq(client, many, 0))) / MEBIBYTE;
  for (const sessionId of [few, many]) await endSession(client, sessionId);
  const against = {
    unit: 'ms',
    floorIs: `first page where there are ${FEW}`,
    target: { of: 'ratio', atMost: MAX_RATIO },
  } as const;
  const long = `of a transcript of ${MANY.toLocaleString('en')} events`;
  return [
    compare({ what: `first page ${long}`, ...against }, samples),
    compare({ what: `last page ${long}`, ...against }, ends),
    { what: `rise of the memory, all pages ${long}`, unit: 'MB', product: summarise([rise]) },
  ];
}
