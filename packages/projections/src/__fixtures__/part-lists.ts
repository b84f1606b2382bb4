import type { Marker, Part } from '@attache/contracts';
import { announceAttachments } from '@attache/domain';
import fc from 'fast-check';
import type { PartType } from '../part-format.ts';
import { attachmentId, givenReference } from './references.ts';

const pieces = [
  '"',
  '\n',
  '\r\n',
  ']',
  '[attachment id=',
  '../',
  '/',
  '-',
  '--',
  ',',
  '👩\u200D💻',
  '\\',
  '\u2028',
  '\ud800',
  'a.pdf',
  ' ',
];

/** Names as nobody should choose them. */
export const names = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }).map((all) => all.join('')),
  fc.array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 20 }).map((codes) => String.fromCodePoint(...codes)),
);

const texts = fc.oneof(names, fc.constant('-p --help'), fc.constant('look at these'));

type Seed = { type: PartType; name: string; text: string; mimeType: string; pages: number };

const mimeTypes: Record<PartType, string[]> = {
  text: ['text/plain'],
  image: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  'text-file': ['text/plain', 'application/json', 'text/csv'],
  document: ['application/pdf'],
  pages: ['image/png', 'image/jpeg'],
  audio: ['audio/wav', 'audio/mpeg'],
  video: ['video/mp4', 'video/webm'],
  descriptor: ['application/zip'],
};

const seedOf = (type: PartType): fc.Arbitrary<Seed> =>
  fc.record({
    type: fc.constant(type),
    name: names,
    text: texts,
    mimeType: fc.constantFrom(...mimeTypes[type]),
    pages: fc.integer({ min: 1, max: 4 }),
  });

export type Message = { parts: Part[]; attachments: Marker[] };

/** A message as it comes from the projector: its text with the markers of all attachments, then parts of the given kinds. */
export function messagesOf(types: ReadonlySet<PartType>): fc.Arbitrary<Message> {
  const seeds = fc.array(fc.oneof(...[...types].map(seedOf)), { maxLength: 8 });
  return fc.record({ text: texts, seeds }).map(({ text, seeds: all }) => {
    const attachments = all.flatMap(({ type, name, mimeType }, index) => {
      return type === 'text' ? [] : [{ id: attachmentId(index), name, mimeType }];
    });
    const own: Part = { type: 'text', text: announceAttachments(text, attachments) };
    return { parts: [own, ...all.map(partOf)], attachments };
  });
}

function partOf({ type, name, text, mimeType, pages }: Seed, index: number): Part {
  const bytes = givenReference(100 * index, mimeType, index);
  switch (type) {
    case 'text':
      return { type, text };
    case 'descriptor':
      return { type, attachmentId: attachmentId(index), text };
    case 'image':
      return { type, bytes };
    case 'pages':
      return {
        type,
        name,
        pages: Array.from({ length: pages }, (_, page) => givenReference(100 * index + page, mimeType, index)),
      };
    default:
      return { type, bytes, name };
  }
}
