import { idFromUuid } from '@attache/contracts';
import type { WireBlock } from '@attache/domain';
import { describe, expect, it } from 'vitest';
import { createAgentQuarantine } from './agent-quarantine.ts';

const ours = idFromUuid('attachment', '00000000-0000-7000-8000-000000000001');
const later = idFromUuid('attachment', '00000000-0000-7000-8000-000000000002');
const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
const media = (sha256: string, index: number): WireBlock => ({
  ...{ kind: 'media', place: 'user', key: sha256, isReadable: true, sha256, sizeBytes: 9, path: [index, 0] },
});
const text = `{"error":{"type":"invalid_request_error","message":"messages.0.content.0.image.source.base64.data: no"}}`;
const refusedFirst = (...blocks: WireBlock[]) => ({
  ...{ blocks, answer: { status: 400, hasBegun: false } },
  ...{ refusal: { status: 400, text }, earlier: undefined },
});

describe('the quarantine of an agent [BX-02]', () => {
  it('takes out what its model named, in words that never change', () => {
    const quarantine = createAgentQuarantine('anthropic', new Map([[a, ours]]));
    expect(quarantine.replacements().size).toBe(0);
    quarantine.noteRequest(refusedFirst(media(a, 0), media(b, 1)));
    const said = [[a, { text: `[attachment id=${ours} was refused by the model: file_refused]` }]];
    expect([...quarantine.replacements()]).toEqual(said);
    quarantine.learn(a, later);
    expect([...quarantine.replacements()]).toEqual(said);
    expect(quarantine.listUnkept()).toEqual([
      { wireSha256: a, code: 'file_refused', isGroup: false, attachmentId: ours },
    ]);
  });

  it('names no attachment where the program found the file by itself', () => {
    const quarantine = createAgentQuarantine('anthropic');
    quarantine.noteRequest(refusedFirst(media(a, 0)));
    expect(quarantine.replacements().get(a)?.text).toBe('[a file was refused by the model: file_refused]');
    expect(quarantine.listUnkept()).toMatchObject([{ attachmentId: undefined }]);
  });

  it('keeps each part once, and lets go what was let go elsewhere', () => {
    const quarantine = createAgentQuarantine('anthropic', new Map([[a, ours]]));
    quarantine.noteRequest(refusedFirst(media(a, 0)));
    const parts = quarantine.listUnkept();
    // Not in the database yet: what it does not have was not let go.
    quarantine.sync([]);
    expect(quarantine.replacements().has(a)).toBe(true);
    quarantine.noteKept(parts);
    expect(quarantine.listUnkept()).toEqual([]);
    quarantine.sync(parts);
    expect(quarantine.replacements().has(a)).toBe(true);
    quarantine.sync([]);
    expect(quarantine.replacements().size).toBe(0);
    quarantine.noteRequest(refusedFirst(media(a, 0)));
    expect(quarantine.listUnkept()).toEqual(parts);
  });

  it('begins with what an earlier process of the agent had, in the same words', () => {
    const stored = { wireSha256: a, code: 'file_refused', isGroup: true, attachmentId: ours };
    const quarantine = createAgentQuarantine('anthropic', new Map([[a, later]]));
    quarantine.sync([stored]);
    quarantine.sync([stored]);
    expect([...quarantine.replacements()]).toEqual([
      [a, { text: `[attachment id=${ours} was refused by the model: file_refused]` }],
    ]);
    expect(quarantine.listUnkept()).toEqual([]);
  });

  it('asks once of whom a file is that nobody named', () => {
    const quarantine = createAgentQuarantine('anthropic', new Map([[a, ours]]));
    const request = { blocks: [media(a, 0), media(b, 1)] };
    expect([quarantine.isStrange(request), quarantine.isStrange(request)]).toEqual([true, false]);
    expect(quarantine.isStrange({ blocks: undefined })).toBe(false);
  });

  it('takes a file out by its second refusal in words alone, also where that comes to another process', () => {
    const unnamed = { status: 400, text: '{"error":{"type":"invalid_request_error","message":"no"}}' };
    const refused = { ...refusedFirst(media(a, 0)), refusal: unnamed };
    const former = createAgentQuarantine('anthropic');
    former.noteRequest(refused);
    const quarantine = createAgentQuarantine('anthropic', undefined, former.listTrials());
    expect(quarantine.replacements().size).toBe(0);
    quarantine.noteRequest(refused);
    expect([...quarantine.replacements().keys()]).toEqual([a]);
    const third = createAgentQuarantine('anthropic', undefined, quarantine.listTrials());
    expect([...third.replacements().keys()]).toEqual([a]);
  });

  it('says beforehand which files a refusal names, and takes none out by that', () => {
    const quarantine = createAgentQuarantine('anthropic', new Map([[a, ours]]));
    expect(quarantine.listNamed(refusedFirst(media(a, 0), media(b, 1)))).toEqual([a]);
    const unnamed = { status: 400, text: '{"error":{"type":"invalid_request_error","message":"no"}}' };
    expect(quarantine.listNamed({ ...refusedFirst(media(a, 0)), refusal: unnamed })).toEqual([]);
    expect(quarantine.replacements().size).toBe(0);
  });

  it('expects a refusal until a request of the turn, with its last file, is accepted', () => {
    const quarantine = createAgentQuarantine('anthropic');
    const accepted = { answer: { status: 200, hasBegun: true }, refusal: undefined, earlier: undefined };
    quarantine.files.noteTurn();
    expect(quarantine.files.mayBeRefused()).toBe(false);
    quarantine.learn(a, ours);
    expect(quarantine.files.mayBeRefused()).toBe(true);
    quarantine.noteRequest({ ...refusedFirst(media(a, 0)), refusal: undefined });
    expect(quarantine.files.mayBeRefused()).toBe(true);
    quarantine.noteRequest({ ...accepted, blocks: [media(a, 0)] });
    expect(quarantine.files.mayBeRefused()).toBe(false);
    quarantine.files.noteTurn();
    expect(quarantine.files.mayBeRefused()).toBe(true);
    const own = createAgentQuarantine('anthropic');
    own.noteRequest({ ...accepted, blocks: [media(b, 0)] });
    own.files.noteTurn();
    expect(own.files.mayBeRefused()).toBe(true);
    expect(createAgentQuarantine('anthropic', new Map()).files.mayBeRefused()).toBe(true);
  });

  it('says that a conversation is too large, until the model takes it again', () => {
    const quarantine = createAgentQuarantine('anthropic');
    const tooLarge = { blocks: [], answer: { status: 413, hasBegun: false }, earlier: undefined };
    quarantine.noteRequest({ ...tooLarge, refusal: { status: 413, text: '' } });
    expect(quarantine.mustBeginAnew()).toBe(true);
    quarantine.noteRequest({ ...tooLarge, answer: { status: 200, hasBegun: true }, refusal: undefined });
    expect(quarantine.mustBeginAnew()).toBe(false);
  });
});
