import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
import { attachmentId, deliver, imagePart, makeFolder, saidIn, startAgent } from './example-agent.ts';

const token = `ata_${randomUUID()}`;
const outputId = 'att_BBBBBBBBBBBBBBBBBBBBBA';

/** The two routes of a gateway's agent socket that the card needs. */
async function serveAttachment(
  image: Buffer,
): Promise<{ socketPath: string; outputs: Buffer[]; traceparents: unknown[] }> {
  const outputs: Buffer[] = [];
  const traceparents: unknown[] = [];
  const attachment = {
    id: attachmentId,
    sessionId: 'ses_AAAAAAAAAAAAAAAAAAAAAA',
    name: 'sea.png',
    mimeType: 'image/png',
    kind: 'image',
    size: image.length,
    sizeBytes: image.length,
    sha256: 'a'.repeat(64),
    origin: 'upload',
    status: 'ready',
    facts: {},
    variants: [],
    warnings: [],
    createdAt: '2026-11-21T00:00:00.000Z',
    schemaVersion: 1,
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    traceparents.push(request.headers.traceparent);
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end();
    if (request.url?.endsWith('/bytes')) return void response.end(image);
    if (request.method === 'GET') return void response.end(JSON.stringify({ attachment, displayUrl: 'u' }));
    outputs.push(body);
    const name = new URL(request.url ?? '', 'http://socket').searchParams.get('name');
    response.end(JSON.stringify({ attachmentId: outputId, displayUrl: 'u', name, mimeType: 'image/png' }));
  };
  const socketPath = path.join(await makeFolder(), 'socket');
  const server = createServer((request, response) => void answer(request, response)).listen(socketPath);
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
  });
  return { socketPath, outputs, traceparents };
}

it('an agent draws on an attachment, stores what it made and names it [AT-13 AT-28 AT-29 AT-33 BX-12]', async () => {
  const image = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#1d3557' } })
    .png()
    .toBuffer();
  const { socketPath, outputs, traceparents } = await serveAttachment(image);
  const { agent, folder, seen } = await startAgent({ socketPath, token });
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const marker = `[attachment id=${attachmentId} type=image/png name="sea.png"]`;
  await deliver(agent, `Draw it.\n${marker}`, { parts: [await imagePart(folder, image)], trace: { traceparent } });
  expect(saidIn(seen)).toContain(`I drew a palette card of "sea.png": ${outputId} (palette-of-sea.png).`);
  expect(seen.outputs).toContainEqual({
    type: 'tool-call',
    callId: 'card-1',
    tool: 'make_palette_card',
    title: 'Draw a palette card of "sea.png"',
    status: 'completed',
    text: `[attachment id=${outputId} type=image/png name="palette-of-sea.png"]`,
  });
  expect(new Set(traceparents)).toEqual(new Set([traceparent]));
  expect(await sharp(outputs[0]).metadata()).toMatchObject({ format: 'png', width: 768 });
});

it('an agent whose gateway does not answer says so and continues [AT-13 AT-41]', async () => {
  const { agent, seen } = await startAgent();
  const outcome = await deliver(agent, `[attachment id=${attachmentId} type=image/png name="sea.png"]`);
  expect(outcome).toMatchObject({ status: 'responded', stopReason: 'end_turn' });
  expect(saidIn(seen)).toContain('I could not draw a palette card');
});
