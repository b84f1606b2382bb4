import { type ByteReference, type Part, parseMarkers } from '@attache/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { givenParts, partTypes } from './__fixtures__/every-part.ts';
import { messagesOf } from './__fixtures__/part-lists.ts';
import { inlineRendering, markOf, marks, pathRendering, urlRendering, type Way } from './__fixtures__/references.ts';
import type { ByteRendering, PathRendering } from './byte-rendering.ts';
import type { PartOf, PartType } from './part-format.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

type Media = 'image' | 'document' | 'audio' | 'video';

/** A block of any format, read back. `holds` is its text, or what takes the place of its bytes. */
export type Seen = { form: 'text' | 'text-file' | Media; holds: string };

const renderings = { base64: inlineRendering, url: urlRendering, path: pathRendering };

export type Subject<Output> = {
  title: string;
  /** The renderings that the caller provides. */
  offers: keyof typeof renderings;
  carries: ReadonlySet<PartType>;
  /** `path` is there only where `offers` says so. */
  convert(parts: readonly Part[], rendering: PathRendering): Output;
  read(output: Output): Seen[];
  /** The way in which the bytes of an image, a document and so on are put into the output. */
  wayOf(media: Media): Way;
  /** Text files have blocks of their own. */
  embedsText: boolean;
  /** All text comes first, as one. */
  gathers?: boolean;
};

const runs = { numRuns: isShort ? 40 : 150 };

/** Requirements of every converter, for any parts that its format carries. */
export function describeConverter<Output>(subject: Subject<Output>): void {
  const messages = messagesOf(subject.carries);
  const convert = (parts: readonly Part[]) => subject.convert(parts, renderings[subject.offers] as PathRendering);

  describe(`a message ${subject.title}`, () => {
    it('holds every part once, in its own form and its place [SR-04 RP-07 RP-08 DL-97]', () => {
      fc.assert(
        fc.property(messages, ({ parts }) => {
          expect(subject.read(convert(parts))).toEqual(expectAll(subject, parts));
        }),
        runs,
      );
    });

    it('holds the bytes of each reference once, none besides, and asks for no more', () => {
      fc.assert(
        fc.property(messages, ({ parts }) => {
          const asked: string[] = [];
          const rendering = recordInto(asked, renderings[subject.offers]);
          const written = JSON.stringify(subject.convert(parts, rendering)).match(marks) ?? [];
          const expected = parts.flatMap((part) => marksOfPart(subject, part)).toSorted();
          expect(written.toSorted()).toEqual(expected);
          expect(asked.toSorted()).toEqual(expected);
        }),
        runs,
      );
    });

    it('is the same to the byte when it is made again [BX-04 DL-72]', () => {
      fc.assert(
        fc.property(messages, ({ parts }) => {
          const before = JSON.stringify(convert(parts));
          expect(JSON.stringify(convert(structuredClone(parts)))).toBe(before);
        }),
        runs,
      );
    });

    it('announces each attachment by one marker, whatever its name is [AT-28]', () => {
      fc.assert(
        fc.property(messages, ({ parts, attachments }) => {
          const texts = subject.read(convert(parts)).map(({ holds }) => holds);
          const announced = texts.flatMap(parseMarkers).map(({ id }) => id);
          expect(announced).toEqual(attachments.map(({ id }) => id));
        }),
        runs,
      );
    });

    it.each(partTypes)('takes a part of type %s or refuses it, as its list says [DL-22]', (type) => {
      const take = () => convert(givenParts(new Set([type])));
      if (subject.carries.has(type)) expect(take).not.toThrow();
      else expect(take).toThrow(`no way in for the ${type} part`);
    });
  });
}

function recordInto(asked: string[], rendering: ByteRendering): PathRendering {
  const recording = Object.entries(rendering).map(([way, write]) => {
    const record = (reference: ByteReference) => {
      const written = write(reference);
      asked.push(written);
      return written;
    };
    return [way, record];
  });
  return Object.fromEntries(recording);
}

function expectAll<Output>(subject: Subject<Output>, parts: readonly Part[]): Seen[] {
  const seen = parts.flatMap((part) => expectPart(subject, part));
  if (!subject.gathers) return seen;
  const isText = ({ form }: Seen) => form === 'text';
  const prompt = seen.filter(isText).map(({ holds }) => holds);
  return [{ form: 'text', holds: prompt.join('\n\n') }, ...seen.filter((one) => !isText(one))];
}

function expectPart<Output>(subject: Subject<Output>, part: Part): Seen[] {
  const media = (form: Media, bytes: ByteReference): Seen => ({ form, holds: markOf(subject.wayOf(form), bytes) });
  switch (part.type) {
    case 'text':
    case 'descriptor':
      return [{ form: 'text', holds: part.text }];
    case 'text-file':
      return [expectTextFile(subject, part)];
    case 'pages':
      return [{ form: 'text', holds: expectHeading(part) }, ...part.pages.map((page) => media('image', page))];
    default:
      return [media(part.type, part.bytes)];
  }
}

function expectTextFile<Output>({ embedsText }: Subject<Output>, { name, bytes }: PartOf<'text-file'>): Seen {
  const text = markOf('text', bytes);
  if (embedsText) return { form: 'text-file', holds: text };
  return { form: 'text', holds: `File ${JSON.stringify(name)} (${bytes.mimeType}):\n${text}` };
}

function expectHeading({ name, pages }: PartOf<'pages'>): string {
  const all = pages.length === 1 ? '1 page as an image' : `${pages.length} pages as images, in order`;
  return `Document ${JSON.stringify(name)}, ${all}:`;
}

function marksOfPart<Output>(subject: Subject<Output>, part: Part): string[] {
  return expectPart(subject, part).flatMap(({ holds }) => holds.match(marks) ?? []);
}
