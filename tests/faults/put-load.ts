import type { Session } from '@attache/contracts';
import { type Answer, type Api, makePng } from '@attache/test-harness';
import { type BegunMessage, type BegunUpload, type KnownSession, type Ledger, newKey } from './ledger.ts';
import type { SeededRandom } from './seeded-random.ts';

/** One process's time; requests that fail after its end are lost, not wrong. */
export type Life = { api: Api; isKilled: boolean };

async function askWhileAlive<T>(life: Life, ask: () => Promise<Answer<T>>): Promise<Answer<T> | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (life.isKilled) return undefined;
    throw error;
  }
}

function expectOne<T>(answer: Answer<T> | undefined, status: number): T | undefined {
  if (answer === undefined || answer.status === status) return answer?.body;
  throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}

/** Sends an upload; under the same key it may be sent again. */
export async function sendUpload(life: Life, upload: BegunUpload, raw: BegunUpload['bytes'] | ReadableStream) {
  const path = `/sessions/${upload.sessionId}/attachments?name=${upload.name}`;
  const headers = { 'content-type': upload.type, 'idempotency-key': upload.idempotencyKey };
  const answer = await askWhileAlive(life, () =>
    life.api.call<{ attachment: { id: string } }>('PUT', path, { raw: raw as ReadableStream<Uint8Array>, headers }),
  );
  const attachmentId = expectOne(answer, 201)?.attachment.id;
  if (attachmentId !== undefined) upload.attachmentId = attachmentId;
  return attachmentId;
}

/** Sends a message; under the same key it may be sent again. */
export async function sendMessage(life: Life, message: BegunMessage) {
  const headers = { 'idempotency-key': message.idempotencyKey };
  const path = `/sessions/${message.sessionId}/messages`;
  const answer = await askWhileAlive(life, () =>
    life.api.call<{ deliveries: { id: string }[] }>('POST', path, { body: message.body, headers }),
  );
  const deliveries = expectOne(answer, 202)?.deliveries;
  if (deliveries !== undefined) message.deliveryIds = deliveries.map(({ id }) => id);
}

async function chooseSession(life: Life, ledger: Ledger, random: SeededRandom): Promise<KnownSession | undefined> {
  const latest = ledger.sessions.at(-1);
  if (latest && random.below(2) === 0) return latest;
  const agents = ['one', 'two'].map((name) => ({ name, role: 'member', target: { profile: 'example' } }));
  const answer = await askWhileAlive(life, () =>
    life.api.call<{ session: Session }>('POST', '/sessions', { body: { agents } }),
  );
  const session = expectOne(answer, 201)?.session;
  if (!session) return undefined;
  const known = { session, agents: session.agents };
  ledger.sessions.push(known);
  return known;
}

// A body that comes in pieces, so that a kill may hit it in the middle.
function inPieces(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  const pieceBytes = Math.ceil(bytes.length / 8);
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((wake) => setTimeout(wake, 15));
      controller.enqueue(bytes.subarray(at, at + pieceBytes));
      at += pieceBytes;
      if (at >= bytes.length) controller.close();
    },
  });
}

const encodeWide = (text: string) =>
  new Uint8Array(Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).buffer);

function drawFile(random: SeededRandom): Pick<BegunUpload, 'name' | 'type' | 'bytes'> {
  const number = random.below(2 ** 31);
  switch (random.below(5)) {
    case 0:
      return { name: 'note.txt', type: 'text/plain', bytes: new TextEncoder().encode(`note number ${number}\n`) };
    case 1:
      return { name: 'data.bin', type: 'application/octet-stream', bytes: random.bytes(200_000) };
    // Its text is made for the agent, so that its delivery waits for the projector. All others are prepared as they are accepted.
    case 2:
      return { name: 'wide.txt', type: 'text/plain', bytes: encodeWide(`\ufeffnote number ${number}\n`) };
    default:
      return { name: 'picture.png', type: 'image/png', bytes: makePng(30 + random.below(300), 40, number) };
  }
}

// One or two files, then one message to one of the two agents; a file that no agent takes is only uploaded.
async function runErrand(life: Life, ledger: Ledger, { session, agents }: KnownSession, random: SeededRandom) {
  const files = Array.from({ length: random.below(3) }, () => drawFile(random));
  const isPieced = random.below(2) === 0;
  const slowMs = random.pick([0, 20, 60, 150]);
  const to = random.pick(['one', 'two'] as const);
  const attachmentIds: string[] = [];
  for (const file of files) {
    const upload = { idempotencyKey: newKey(), sessionId: session.id, ...file };
    ledger.uploads.push(upload);
    const attachmentId = await sendUpload(life, upload, isPieced ? inPieces(file.bytes) : file.bytes);
    if (attachmentId === undefined) return;
    if (file.name !== 'data.bin') attachmentIds.push(attachmentId);
  }
  const idempotencyKey = newKey();
  const text = `errand ${idempotencyKey}\nexample: slow ${slowMs}`;
  const agentIds = agents.flatMap((agent) => (agent.name === to ? [agent.id] : []));
  const message = { idempotencyKey, sessionId: session.id, body: { to: agentIds, text, attachmentIds } };
  ledger.messages.push(message);
  await sendMessage(life, message);
}

/** A load on a living stack: in which session, and when it is done or the stack is dead. */
export type Load = { known: KnownSession | undefined; done: Promise<unknown> };

/** Puts a load on a living stack. Resolves once the session of the load is there. */
export async function putLoad(life: Life, ledger: Ledger, random: SeededRandom): Promise<Load> {
  const known = await chooseSession(life, ledger, random);
  if (!known) return { known, done: Promise.resolve() };
  return { known, done: Promise.all(Array.from({ length: 3 }, () => runErrand(life, ledger, known, random))) };
}
