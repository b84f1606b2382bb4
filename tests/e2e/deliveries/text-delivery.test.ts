// hosted: long – texts are decoded by the same worker; the store has a contract suite on S3
import { createHash } from 'node:crypto';
import type { SessionEvent } from '@attache/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const sha256Of = (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex');

const letter = 'Дорогая бабушка!\nВчера мы были на море и собирали ракушки. Погода стоит хорошая.\nТвой внук Алёша\n';

// Cyrillic letters lie in one block in both tables; Ё and ё stand apart.
function encodeWindows1251(text: string): Uint8Array<ArrayBuffer> {
  const apart: Record<string, number> = { Ё: 0xa8, ё: 0xb8 };
  const codes = [...text].map((char) => {
    const code = char.codePointAt(0) ?? 0;
    return apart[char] ?? (code >= 0x410 ? code - 0x410 + 0xc0 : code);
  });
  return Uint8Array.from(codes);
}

const withMark = `\ufeff${letter}`;
const spellings = [
  { encoding: 'utf-8', bytes: new Uint8Array(Buffer.from(letter)), isDecoded: false },
  { encoding: 'utf-16le', bytes: new Uint8Array(Buffer.from(withMark, 'utf16le')), isDecoded: true },
  { encoding: 'windows-1251', bytes: encodeWindows1251(letter), isDecoded: true },
];

describe('a text file', () => {
  for (const { encoding, bytes, isDecoded } of spellings) {
    it(`in ${encoding} reaches the agent as its text [SR-14 RP-10 DL-14]`, async () => {
      const { api } = stack;
      const place = await api.createSession();
      const { attachment } = await api.upload(place.session.id, bytes, { name: 'letter.txt', type: 'text/plain' });
      expect(await api.inspected(attachment.id)).toMatchObject({ kind: 'text', facts: { encoding } });
      const { delivery, answer } = await takeTurn(api, place, 'Read the letter.', [attachment.id]);
      expect(answer).toContain(`the text file "letter.txt" with 3 lines`);
      expect(answer).toContain(`first line "Дорогая бабушка!"`);
      expect(answer).toContain(`sha256 ${sha256Of(letter)}`);
      expect(delivery.plan.items).toMatchObject([{ becomes: 'text' }]);
      expect(delivery.plan.items[0]?.recipe?.purpose).toBe(isDecoded ? 'decoded-text' : undefined);
      const sent = { attachmentId: attachment.id, sha256: sha256Of(letter), form: 'text', verdict: 'delivered' };
      expect(delivery.receipt?.items).toMatchObject([sent]);
      expect(delivery.receipt?.items[0]?.variantId !== undefined).toBe(isDecoded);
      expect((await api.inspected(attachment.id)).sha256).toBe(sha256Of(bytes));
    });
  }

  it('is text by what its bytes are, not by a list of types [RP-10]', async () => {
    const { api } = stack;
    const place = await api.createSession();
    const bytes = new Uint8Array(Buffer.from('[server]\nport = 4100\n'));
    const type = 'application/vnd.example.settings';
    const { attachment } = await api.upload(place.session.id, bytes, { name: 'settings.conf', type });
    expect(await api.inspected(attachment.id)).toMatchObject({ status: 'ready', kind: 'text' });
    const { answer } = await takeTurn(api, place, 'Read it.', [attachment.id]);
    expect(answer).toContain('first line "[server]"');
  });
});

describe('a message without attachments', () => {
  it('takes the same steps as one with them, and nothing is added to its text [DL-83]', async () => {
    const { api } = stack;
    const place = await api.createSession();
    const note = new Uint8Array(Buffer.from('a note'));
    const { attachment } = await api.upload(place.session.id, note, { name: 'note.txt', type: 'text/plain' });
    const text = 'Good morning.';
    const without = await takeTurn(api, place, text);
    const withOne = await takeTurn(api, place, text, [attachment.id]);
    expect(without.answer).toBe(`I received ${text.length} characters and no files.\n`);
    expect(without.delivery).toMatchObject({ status: 'responded', plan: { items: [] }, receipt: { items: [] } });
    const events = await api.events(place.session.id);
    const stepsOf = (deliveryId: string) =>
      events.filter(
        (event: SessionEvent) => event.data.deliveryId === deliveryId && event.kind.startsWith('delivery.'),
      );
    const kindsOf = (deliveryId: string) => stepsOf(deliveryId).map(({ kind }) => kind);
    expect(kindsOf(without.delivery.id)).toEqual([
      'delivery.prepared',
      'delivery.claimed',
      'delivery.written',
      'delivery.responded',
    ]);
    expect(kindsOf(withOne.delivery.id)).toEqual(kindsOf(without.delivery.id));
  });
});
