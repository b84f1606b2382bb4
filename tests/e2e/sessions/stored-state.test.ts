// hosted: every – rows and messages are those of Postgres
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EventKind, eventDataSchemas, type SessionEvent } from '@attache/contracts';
import { makeNoisePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { type Place, takeTurn } from '../steps/turns.ts';

const WINDOW_BYTES = 24;
const LARGE_BYTES = 2_500_000;

/** Text forms of pieces from all over the bytes, at each of base64's three alignments. */
function spell(bytes: Uint8Array): string[] {
  const steps = Math.floor((bytes.length - WINDOW_BYTES - 3) / 64);
  return Array.from({ length: 64 }, (_, index) => {
    const at = index * steps + (index % 3);
    const piece = Buffer.from(bytes.subarray(at, at + WINDOW_BYTES));
    return [piece.toString('base64'), piece.toString('base64url'), piece.toString('hex')];
  }).flat();
}

let stack: OwnStack;
let place: Place;
let events: SessionEvent[];
let pictures: { name: string; bytes: Uint8Array }[];
let home: string;
let dump: string;

beforeAll(async () => {
  stack = await openOwnStack();
  const { api } = stack;
  place = await api.createSession();
  const { session, agent } = place;
  const uploaded = makeNoisePng(60_000);
  const { attachment } = await api.upload(session.id, uploaded, { name: 'noise-of-the-sea.png' });
  await takeTurn(api, place, 'A text that only the message row may hold.', [attachment.id]);
  await takeTurn(api, place, 'example: emit-base64');
  // Large enough to lie in the agent's folder meanwhile.
  const large = await api.upload(session.id, makeNoisePng(LARGE_BYTES));
  await takeTurn(api, place, 'Look at this.', [large.attachment.id]);
  const { body } = await api.call('GET', `/sessions/${session.id}/attachments?origin=tool-output`);
  const [output] = body.items as { id: string }[];
  const { body: made } = await api.call('POST', `/attachments/${output?.id}/urls`, { body: {} });
  const card = new Uint8Array(await (await fetch(String(made.url))).arrayBuffer());
  pictures = [
    { name: 'the upload', bytes: uploaded },
    { name: 'the tool output', bytes: card },
    { name: 'what the agent put into its text', bytes: await fetchOrigin('agent') },
  ];
  events = await api.events(session.id);
  home = stack.agentFolder(agent.id);
});
afterAll(() => stack.stop());

async function fetchOrigin(origin: string): Promise<Uint8Array> {
  const { api } = stack;
  const { body } = await api.call('GET', `/sessions/${place.session.id}/attachments?origin=${origin}`);
  const [first] = body.items as { id: string }[];
  const { body: made } = await api.call('POST', `/attachments/${first?.id}/urls`, { body: {} });
  return new Uint8Array(await (await fetch(String(made.url))).arrayBuffer());
}

describe('after the main job', () => {
  it('the session log has every step in order and no gap [SR-03]', () => {
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const first = events.findIndex(({ kind }) => kind === 'delivery.responded');
    const told = events.slice(0, first + 1).map(({ kind }) => kind);
    const expected: EventKind[] = [
      'session.created',
      'agent.added',
      'attachment.added',
      'attachment.ready',
      'message.accepted',
      'grant.created',
      'delivery.prepared',
      'delivery.claimed',
      'delivery.written',
      'resource.viewed',
      'attachment.added',
      'delivery.responded',
    ];
    let at = -1;
    for (const kind of expected) at = told.indexOf(kind, at + 1);
    expect(at, told.join(' ')).toBe(told.length - 1);
  });

  it('each event fits the schema of its kind and names its actor and trace [DL-49]', () => {
    for (const { kind, data, traceId, schemaVersion } of events) {
      expect(eventDataSchemas[kind].parse(data), kind).toEqual(data);
      expect(traceId, kind).toMatch(/^[0-9a-f]{32}$/);
      expect(schemaVersion).toBeGreaterThan(0);
    }
    const actors = new Map(events.map(({ kind, actor }) => [kind, actor.type]));
    expect(actors.get('message.accepted')).toBe('key');
    expect(actors.get('attachment.ready')).toBe('service');
    expect(actors.get('agent.output')).toBe('agent');
  });

  it('media in an agent’s words is kept as attachments and stands there by id [SR-24 AT-34]', () => {
    const items = events.flatMap(({ kind, data }) => (kind === 'agent.output' ? [data.item as { text?: string }] : []));
    const said = items.map(({ text }) => text ?? '').join('\n');
    expect(said).toMatch(/!\[dot\]\(\[attachment id=att_[A-Za-z0-9_-]{22} type=image\/png/);
    expect(JSON.stringify(items)).not.toContain('data:image');
  });

  it('files made for the agent are gone with their delivery [BX-10]', async () => {
    expect(await readdir(join(home, 'inbox'))).toEqual([]);
    const record = await readFile(join(home, 'home', 'deliveries.jsonl'), 'utf8');
    expect(record.trim().split('\n')).toHaveLength(3);
  });

  it('neither log, spans nor database hold a file in any text form [SR-24 DL-98]', async () => {
    const [log, spans] = [JSON.stringify(events), JSON.stringify(stack.spans())];
    dump = await stack.stopAndDump();
    expect(dump).toContain('noise-of-the-sea.png');
    expect(spans).toContain('attachment.deliver');
    for (const { name, bytes } of pictures) {
      const found = spell(bytes).filter((piece) => [log, spans, dump].some((text) => text.includes(piece)));
      expect(found, name).toEqual([]);
    }
  });

  it('names and texts of people stand in no span and in no event but what the agent said', () => {
    const others = events.filter(({ kind }) => kind !== 'agent.output');
    const told = JSON.stringify([others, stack.spans()]);
    const words = ['A text that only the message row may hold.', 'noise-of-the-sea'];
    expect(words.filter((word) => told.includes(word))).toEqual([]);
  });
});
