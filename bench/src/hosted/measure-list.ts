import { uuidFromId } from '@attache/contracts';
import postgres from 'postgres';
import { makeRandomBytes } from '../inputs/random-bodies.ts';
import { createSession, parseAnswer, putFile, readUpload, waitUntilInspected } from '../product/product-calls.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, time } from '../report/sample.ts';
import type { HostedBench } from './bench.ts';

const FEW = 100;
const MANY = 100_000;
const PAGE = 50;

type Page = { items: { id: string }[]; nextCursor: string | null };

/** A session that lists this many attachments: one upload, and rows like its own added by SQL. */
async function createFullSession({ product }: HostedBench, attachmentCount: number): Promise<string> {
  const { session } = await createSession(product.client);
  const file = {
    bytes: makeRandomBytes(1000),
    sizeBytes: 1000,
    mimeType: 'application/octet-stream',
    name: 'random.bin',
  };
  const { attachment } = readUpload(await putFile(product.client, session.id, file));
  await waitUntilInspected(product.client, attachment.id);
  const id = uuidFromId(attachment.id);
  const sql = postgres(product.stack.database.superuserUrl, { max: 1, onnotice: () => {} });
  await sql.begin(async (tx) => {
    await tx`create temp table copies on commit drop as
      select gen_random_uuid() as id, n from generate_series(1, ${attachmentCount - 1}::int) n`;
    await tx`insert into attachment select made.* from attachment a, copies c, jsonb_populate_record(null::attachment,
      to_jsonb(a) || jsonb_build_object('id', c.id, 'created_at', a.created_at + c.n * interval '1 millisecond')) made where a.id = ${id}`;
    await tx`insert into attachment_name select made.* from attachment_name a, copies c, jsonb_populate_record(null::attachment_name,
      to_jsonb(a) || jsonb_build_object('attachment_id', c.id)) made where a.attachment_id = ${id}`;
  });
  await sql`analyze attachment, attachment_name`;
  await sql.end();
  return session.id;
}

async function readPage({ product }: HostedBench, sessionId: string, cursor?: string | null) {
  const path = `/sessions/${sessionId}/attachments?limit=${PAGE}${cursor ? `&cursor=${cursor}` : ''}`;
  const { result, tookMs } = await time(() => product.client.send({ method: 'GET', path }));
  const page = parseAnswer<Page>(result, 200);
  if (page.items.length !== PAGE) throw new Error(`A page has ${page.items.length} attachments.`);
  return { ...page, tookMs };
}

async function comparePage(
  bench: HostedBench,
  what: string,
  sessions: { few: string; many: string },
  isSecond: boolean,
) {
  const cursorOf = async (id: string) => (isSecond ? (await readPage(bench, id)).nextCursor : undefined);
  const cursors = { few: await cursorOf(sessions.few), many: await cursorOf(sessions.many) };
  const samples = await interleave(
    { warm: 10, counted: bench.counted(60) },
    {
      floor: async () => (await readPage(bench, sessions.few, cursors.few)).tookMs,
      product: async () => (await readPage(bench, sessions.many, cursors.many)).tookMs,
    },
  );
  const target = { of: 'ratio', atMost: 1.3 } as const;
  return compare({ what, unit: 'ms', floorIs: `at ${FEW}`, target }, samples);
}

/** The same page of a list with many and with few attachments. */
export async function measureList(bench: HostedBench): Promise<Result[]> {
  bench.say(`  a list of ${MANY} attachments`);
  const sessions = { few: await createFullSession(bench, FEW), many: await createFullSession(bench, MANY) };
  return [
    await comparePage(bench, `first page of ${PAGE}, at 100,000 attachments`, sessions, false),
    await comparePage(bench, `second page of ${PAGE}, at 100,000 attachments`, sessions, true),
  ];
}
