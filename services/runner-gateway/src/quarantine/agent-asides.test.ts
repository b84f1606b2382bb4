import { idFromUuid } from '@attache/contracts';
import type { WireBlock } from '@attache/domain';
import { describe, expect, it } from 'vitest';
import { createAgentQuarantine } from './agent-quarantine.ts';

const ours = idFromUuid('attachment', '00000000-0000-7000-8000-000000000001');
const digests = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(64));
const [a = '', b = ''] = digests;
const media = (sha256: string, index: number): WireBlock => ({
  ...{ kind: 'media', place: 'user', key: sha256, isReadable: true, sha256, sizeBytes: 9, path: [index, 0] },
  mimeType: 'image/png',
});
const limits = { images: 4, bytes: 1_000 };
const request = (blocks: readonly WireBlock[]) => ({
  ...{ blocks, sizeBytes: 500, firstOfTurn: undefined },
  earlier: { blocks: blocks.slice(0, -1), answer: { status: 200, hasBegun: true } },
});
const accepted = { answer: { status: 200, hasBegun: true }, refusal: undefined, earlier: undefined };
const text = `[attachment id=${ours} was set aside: the conversation has more pictures than its model takes at once; resource_view shows it again]`;

/** Five pictures in a conversation of at most four. */
function openFull() {
  const quarantine = createAgentQuarantine('anthropic', new Map([[a, ours]]));
  quarantine.asides.noteTurn(limits);
  const chosen = quarantine.asides.choose(request(digests.map(media)));
  return { quarantine, chosen };
}

describe('the pictures of an agent that are set aside [BX-33]', () => {
  it('are out once they are taken, in words that never change', () => {
    const { quarantine, chosen } = openFull();
    expect(chosen.map(({ wireSha256 }) => wireSha256)).toEqual(digests.slice(0, 3));
    expect(chosen[0]).toEqual({
      ...{ wireSha256: a, occurrences: 1, code: 'too_many_images', isGroup: false, attachmentId: ours },
    });
    expect(quarantine.replacements().size).toBe(0);
    quarantine.asides.take(chosen);
    expect(quarantine.replacements().get(a)).toEqual({ text, first: 1 });
    expect(quarantine.replacements().get(b)?.text).toMatch(/^\[a picture was set aside: /);
    // Known by now, and the text stays.
    quarantine.learn(b, ours);
    const again = [...digests, a, b].map(media);
    const more = quarantine.asides.choose(request([...again, media('f'.repeat(64), 9)]));
    quarantine.asides.take(more);
    expect(quarantine.replacements().get(a)).toEqual({ text, first: 2 });
    expect(quarantine.replacements().get(b)?.text).toMatch(/^\[a picture was set aside: /);
    expect([quarantine.listRefused().size, quarantine.listUnkept()]).toEqual([0, []]);
  });

  it('come from the database to the next process, and a row that was read before takes nothing back', () => {
    const { quarantine, chosen } = openFull();
    quarantine.sync(chosen);
    expect(quarantine.replacements().get(a)).toEqual({ text, first: 1 });
    quarantine.asides.take([{ ...chosen[0], wireSha256: a, occurrences: 2, code: 'too_many_images', isGroup: false }]);
    quarantine.sync(chosen);
    quarantine.sync([]);
    expect(quarantine.replacements().get(a)?.first).toBe(2);
  });

  it('are out altogether once the model refuses them [BX-02]', () => {
    const { quarantine, chosen } = openFull();
    quarantine.asides.take(chosen);
    const named = `{"error":{"type":"invalid_request_error","message":"messages.0.content.0.image.source.base64.data: no"}}`;
    const refused = { answer: { status: 400, hasBegun: false }, refusal: { status: 400, text: named } };
    quarantine.noteRequest({ blocks: [media(a, 0)], ...refused, earlier: undefined });
    expect(quarantine.replacements().get(a)).toEqual({
      text: `[attachment id=${ours} was refused by the model: file_refused]`,
    });
    expect(quarantine.listRefused().size).toBe(1);
    expect(quarantine.asides.choose(request([a, a, ...digests.slice(1)].map(media)))).toEqual([]);
  });
});

describe('room in the next request', () => {
  it('is looked after once half of a count may be in it, and where its length says so', () => {
    const { asides, learn } = createAgentQuarantine('anthropic');
    expect(asides.isNear(10_000)).toBe(false);
    asides.noteTurn(limits);
    for (const digest of [a, b]) learn(digest, ours);
    expect([asides.isNear(undefined), asides.isNear(1_001)]).toEqual([false, true]);
    learn(a, ours);
    expect(asides.isNear(undefined)).toBe(true);
  });

  it('is looked after again by what went out, and at first where an earlier process began the conversation', () => {
    const quarantine = createAgentQuarantine('anthropic', new Map());
    quarantine.asides.noteTurn(limits);
    expect(quarantine.asides.isNear(undefined)).toBe(true);
    quarantine.noteRequest({ blocks: [media(a, 0)], ...accepted });
    expect(quarantine.asides.isNear(undefined)).toBe(false);
    quarantine.noteRequest({ blocks: digests.map(media), ...accepted });
    expect(quarantine.asides.isNear(undefined)).toBe(true);
    // A helper's request.
    quarantine.noteRequest({ blocks: [], ...accepted });
    expect(quarantine.asides.isNear(undefined)).toBe(true);
    quarantine.asides.noteTurn({ bytes: 1_000 });
    expect(quarantine.asides.isNear(undefined)).toBe(false);
  });
});
