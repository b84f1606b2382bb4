import { readFileSync } from 'node:fs';
import { type AttachmentId, SCHEMA_VERSION, type TranscriptEntry, transcriptEntrySchema } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { foldLog } from './fold-log.ts';
import { eventLifts } from './lift-event.ts';
import type { LogRecords, RecordedAttachment } from './log-records.ts';
import { readLog, type StoredEvent } from './read-event.ts';

const readFile = (version: number, file: string) =>
  JSON.parse(readFileSync(new URL(`../../../contracts/golden/v${version}/${file}.json`, import.meta.url), 'utf8'));
const versions = Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1);
const events = new Map(versions.map((version) => [version, readFile(version, 'events')]));
const entries: Record<string, unknown> = readFile(SCHEMA_VERSION, 'dto');

const read = (version: number, name: string) => structuredClone(events.get(version)[`event.${name}`]);
const namesOf = (version: number) => Object.keys(events.get(version)).map((name) => name.slice('event.'.length));

const ready: RecordedAttachment = {
  name: 'a "b"\n].png',
  mimeType: 'image/png',
  kind: 'image',
  sizeBytes: 70,
  sha256: 'ab'.repeat(32),
  status: 'ready',
  isDeleted: false,
};
const rejected: RecordedAttachment = {
  ...ready,
  status: 'rejected',
  failure: { code: 'attachment_encrypted', severity: 'error', userMessage: '', diagnostic: '', retryable: false },
};
const rows = (row: RecordedAttachment | undefined, text: string | undefined): LogRecords => ({
  attachmentOf: () => row,
  textOf: () => text,
});

/** The rows next to a log decide parts of an entry; `message.accepted.gone` is one whose rows are gone. */
const records: Record<string, LogRecords> = {
  '': rows(ready, 'look at this'),
  '.rejected': rows(rejected, ''),
  '.deleted': rows({ ...ready, isDeleted: true }, undefined),
  '.gone': rows(undefined, undefined),
};

const foldOne = (event: StoredEvent, given: LogRecords): TranscriptEntry | undefined =>
  [...foldLog(readLog([event]), given)][0];

const shown = versions.flatMap((version) => namesOf(version).map((name) => [`v${version}`, name] as const));
/** Rows other than the plain ones, for one event of each kind of entry that names an attachment. */
const states = shown.flatMap(([, name]) =>
  Object.keys(records)
    .filter((state) => state !== '' && goldenOf(name, state) !== undefined)
    .map((state) => [name, state] as const),
);

function goldenOf(name: string, state: string): unknown {
  return entries[`dto.transcript-entry.${name}${state}`];
}

describe('events of every version', () => {
  it('have a lift to each next one [DL-47]', () => {
    expect(eventLifts).toHaveLength(SCHEMA_VERSION - 1);
  });

  it.each(shown)('%s %s is the golden entry of its name, or none, whatever its rows are [DL-47]', (version, name) => {
    const event = read(Number(version.slice(1)), name);
    expect(goldenOf(name, '')).toEqual(foldOne(event, records[''] as LogRecords));
    for (const given of Object.values(records)) {
      const entry = foldOne(event, given);
      if (entry) expect(transcriptEntrySchema.parse(entry)).toStrictEqual(entry);
      expect(entry).not.toMatchObject({ type: 'unreadable' });
    }
  });

  it('have golden entries of other rows too', () => expect(states).toHaveLength(9));

  it.each(states)('%s with the rows of %s is the golden entry of that form [SR-20]', (name, state) => {
    const event = read(SCHEMA_VERSION, name);
    expect(foldOne(event, records[state] as LogRecords)).toEqual(goldenOf(name, state));
  });
});

describe('what cannot be read', () => {
  const event: StoredEvent = read(1, 'message.accepted');
  const { seq, at } = event;
  const unreadable = (stored: StoredEvent, reason: string) =>
    expect(foldOne(stored, rows(ready, 'x'))).toEqual({
      ...{ seq, at, type: 'unreadable', kind: stored.kind, schemaVersion: stored.schemaVersion, reason },
    });

  it.each<[string, Partial<StoredEvent>, string]>([
    ['of a later version', { schemaVersion: SCHEMA_VERSION + 1 }, 'newer-version'],
    ['of a kind that a later release adds', { kind: 'session.compacted' }, 'unknown-kind'],
    ['of a kind that every object has', { kind: 'constructor' }, 'unknown-kind'],
    ['of no version', { schemaVersion: 0 }, 'malformed'],
    ['of half a version', { schemaVersion: 0.5 }, 'malformed'],
    ['without its data', { data: {} }, 'malformed'],
    ['with data of another type', { data: null as never }, 'malformed'],
    ['with an id that is none', { data: { ...event.data, messageId: '__proto__' } }, 'malformed'],
  ])('is shown as such: one %s [DL-47]', (_, given, reason) => {
    unreadable({ ...event, ...given }, reason);
  });

  it('stops nothing: what comes before and after it is shown [DL-47]', () => {
    const later = { ...event, schemaVersion: 99 };
    const types = [...foldLog(readLog([event, later, event]), rows(ready, 'x'))].map(({ type }) => type);
    expect(types).toEqual(['message', 'unreadable', 'message']);
  });

  it('is an older one whose lift refuses it, or breaks on it; one that can be lifted is, and stays as it was [DL-47]', () => {
    const old = {
      ...event,
      kind: 'message.sent',
      data: { ...event.data, messageId: undefined, id: event.data.messageId },
    };
    const frozen = JSON.stringify(old);
    const rename = ({ data }: { data: Record<string, unknown> }) => {
      const { id, ...rest } = data;
      return { kind: 'message.accepted', data: { ...rest, messageId: id } };
    };
    const foldWith = (lift: typeof rename | (() => undefined), version: number) =>
      [...foldLog(readLog([{ ...old, schemaVersion: version }], [lift]), rows(ready, 'x'))][0];
    expect(foldWith(rename, 1)).toEqual(foldOne(event, rows(ready, 'x')));
    expect(foldWith(rename, 2)).toMatchObject({ type: 'unreadable', reason: 'unknown-kind' });
    expect(foldWith(() => undefined, 1)).toMatchObject({ type: 'unreadable', reason: 'malformed' });
    const breaks = () => {
      throw new TypeError('not what it promised');
    };
    expect(foldWith(breaks, 1)).toMatchObject({ type: 'unreadable', reason: 'malformed' });
    expect(JSON.stringify(old)).toBe(frozen);
  });
});

describe('what is said of an attachment', () => {
  it('is nothing but its id once it is deleted, or where nothing is known of it [SR-20]', () => {
    const event = read(1, 'resource.viewed');
    const id: AttachmentId = event.data.attachmentId;
    const attachmentIn = (state: string) => foldOne(event, records[state] as LogRecords);
    expect(attachmentIn('.deleted')).toMatchObject({ attachment: { id, status: 'deleted' } });
    expect(JSON.stringify(attachmentIn('.deleted'))).not.toContain(ready.sha256);
    expect(attachmentIn('.gone')).toMatchObject({ attachment: { id, status: 'unknown' } });
  });

  it('is its id and status for one who may read no attachments', () => {
    const event = read(1, 'resource.viewed');
    const entry = foldOne(event, { ...rows(ready, 'x'), describesFiles: false });
    expect(entry).toMatchObject({ attachment: { id: event.data.attachmentId, status: 'ready' } });
    expect(entry && 'attachment' in entry && Object.keys(entry.attachment ?? {})).toEqual(['id', 'status']);
  });
});
