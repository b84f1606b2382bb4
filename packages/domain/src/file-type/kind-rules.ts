import type { AttachmentKind } from '@attache/contracts';
import { isTextual } from './is-textual.ts';

/** Files that are treated alike: finer than the recorded kind where media types of one kind have different forms. */
export type FileKind = 'image' | 'pdf' | 'audio' | 'video' | 'text' | 'unsupported';

/** A form in which a file may be delivered. `document`, `audio` and `video` are the file as it is. */
export type FormName =
  | 'image'
  | 'document'
  | 'pages'
  | 'incomplete-pages'
  | 'document-text'
  | 'text'
  | 'audio'
  | 'video';

/** All that makes one kind of file different from another, but for reading its bytes. */
export type KindRules = {
  /** The kind that is recorded and that callers see. */
  kind: AttachmentKind;
  /** The everyday name of such a file. */
  noun: string;
  /** Whether a media type is of this kind: in lower case, without parameters. The first kind that says so counts. */
  holds(essence: string): boolean;
  /** Whether browsers show files of the type without running anything. All else is a download. */
  isInline(essence: string): boolean;
  /** In the order of preference. Without any the file goes by tool only. */
  forms: readonly FormName[];
  /** Asked where the agent's tools are not left either. */
  lastForm?: FormName;
  /**
   * The turn in which attachments of a message choose: first those with one form only, then images, which can shrink, then documents, which can become
   * something else.
   */
  turn: 'first' | 'second' | 'third';
  /** Whether a plan says why a preferred form was not taken. */
  explainsChoice: boolean;
  /** The forms in which the tool `resource_view` can show it. */
  views: readonly ('image' | 'pages' | 'text')[];
  /** The part of a message that the file itself becomes. */
  part?: 'image' | 'document' | 'text-file' | 'audio' | 'video';
};

const imageTypes = ['png', 'jpeg', 'gif', 'webp', 'avif', 'heic', 'heif', 'tiff'].map((type) => `image/${type}`);
const inlineImageTypes = ['png', 'jpeg', 'gif', 'webp', 'avif'].map((type) => `image/${type}`);

const audioTypes = [
  'audio/wav',
  'audio/x-wav',
  'audio/wave',
  'audio/vnd.wave',
  'audio/mpeg',
  'audio/mp3',
  'audio/mp2',
  'audio/mp1',
  'audio/mp4',
  'audio/x-m4a',
  'audio/aac',
  'audio/ogg',
  'audio/opus',
  'audio/flac',
  'audio/x-flac',
  'audio/webm',
  'audio/aiff',
  'audio/x-aiff',
  'audio/amr',
  'audio/3gpp',
  'audio/x-matroska',
];

const videoTypes = [
  'video/mp4',
  'video/mpeg',
  'video/webm',
  'video/ogg',
  'video/quicktime',
  'video/x-matroska',
  'video/x-msvideo',
  'video/3gpp',
  'video/3gpp2',
  'video/mp2t',
];

export const kindRules: Readonly<Record<FileKind, KindRules>> = {
  image: {
    kind: 'image',
    noun: 'image',
    holds: oneOf(imageTypes),
    isInline: oneOf(inlineImageTypes),
    forms: ['image'],
    turn: 'second',
    explainsChoice: false,
    views: ['image'],
    part: 'image',
  },
  pdf: {
    kind: 'document',
    noun: 'PDF',
    holds: oneOf(['application/pdf']),
    isInline: () => true,
    forms: ['document', 'pages', 'document-text'],
    lastForm: 'incomplete-pages',
    turn: 'third',
    explainsChoice: true,
    views: ['pages', 'text'],
    part: 'document',
  },
  audio: describeRecording('audio', 'sound', audioTypes),
  video: describeRecording('video', 'film', videoTypes),
  text: {
    kind: 'text',
    noun: 'text',
    holds: isTextual,
    isInline: oneOf(['text/plain']),
    forms: ['text'],
    turn: 'first',
    explainsChoice: false,
    views: ['text'],
    part: 'text-file',
  },
  unsupported: {
    kind: 'unsupported',
    noun: 'file',
    holds: () => true,
    isInline: () => false,
    forms: [],
    turn: 'first',
    explainsChoice: false,
    views: [],
  },
};

function describeRecording(kind: 'audio' | 'video', noun: string, types: readonly string[]): KindRules {
  return {
    kind,
    noun,
    holds: oneOf(types),
    isInline: () => true,
    forms: [kind],
    turn: 'first',
    explainsChoice: false,
    views: [],
    part: kind,
  };
}

function oneOf(types: readonly string[]): (essence: string) => boolean {
  const set = new Set(types);
  return (essence) => set.has(essence);
}

const inOrder = Object.values(kindRules);

/** The rules for a media type in lower case and without parameters. */
export function findRules(essence: string): KindRules {
  return inOrder.find(({ holds }) => holds(essence)) ?? kindRules.unsupported;
}

/** The rules for an attachment: what was recorded of it counts, whatever its media type would be called today. */
export function rulesOf({ kind, mimeType }: { kind: AttachmentKind; mimeType: string }): KindRules {
  const byType = findRules(mimeType);
  return byType.kind === kind ? byType : (inOrder.find((rules) => rules.kind === kind) ?? kindRules.unsupported);
}
