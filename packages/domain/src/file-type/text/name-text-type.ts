import { detectMarkup } from './detect-markup.ts';

/** What is known of the type of a text beside its words. */
export type TextTypeClues = {
  /** The type by a magic number that text may begin with, too. */
  magic?: string | undefined;
  /** The declared or named type of text. */
  textType?: string | undefined;
};

/** Formats of text that have a magic number. */
export function isTextFormat(mimeType: string): boolean {
  return /^text\/|[/+]xml$|^application\/rtf$/.test(mimeType);
}

/** Which text it is that opens so: what it is by its words, whatever it is called; else what it is called. */
export function nameTextType(opening: string, { magic, textType }: TextTypeClues): string {
  switch (detectMarkup(opening)?.type) {
    case 'svg':
      return 'image/svg+xml';
    case 'html':
      return textType === 'application/xhtml+xml' ? textType : 'text/html';
    case 'weak-html':
      return textType ?? 'text/html';
    case 'xml':
      return textType !== undefined && /[/+]xml$/.test(textType) ? textType : 'application/xml';
    default:
      return magic !== undefined && isTextFormat(magic) ? magic : (textType ?? 'text/plain');
  }
}
