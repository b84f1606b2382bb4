import type { WireBlock, WireRequest } from '../receipt/wire-facts.ts';

/** A file in a user's message or in a result of a tool, which the relay has read without doubt. */
export type WireFile = Extract<WireBlock, { kind: 'media' }>;

type Blocks = WireRequest['blocks'];

/** The files that may be taken out of a request, replaced ones included. */
export const listFiles = (blocks: Blocks): readonly WireFile[] =>
  (blocks ?? []).filter((block): block is WireFile => block.kind === 'media' && isReplaceable(block));

/** The files that the provider got. */
export const listSentFiles = (blocks: Blocks): readonly WireFile[] =>
  listFiles(blocks).filter(({ isReplaced }) => isReplaced !== true);

/** The pictures among the files that the provider got. */
export const listSentPictures = (blocks: Blocks): readonly WireFile[] => listSentFiles(blocks).filter(isPicture);

export const isPicture = ({ mimeType, width }: WireFile): boolean =>
  mimeType?.startsWith('image/') ?? width !== undefined;

/** The file at a place, where the provider got one there. */
export const findSentFile = (blocks: Blocks, path: readonly number[]): WireFile | undefined =>
  listSentFiles(blocks).find((block) => block.path !== undefined && block.path.join() === path.join());

export const digestsOf = (files: readonly WireFile[]): readonly string[] => [
  ...new Set(files.map(({ sha256 }) => sha256)),
];

const isReplaceable = ({ isReadable, sha256, place }: WireFile): boolean =>
  isReadable && sha256 !== '' && (place === 'user' || place === 'tool-result');
