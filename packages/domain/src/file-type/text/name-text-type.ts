import { detectMarkup } from './detect-markup.ts';

/** Clues to the type of a text besides its content. */
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

/** Names the type of a text: the type that its opening shows, whatever its name is; otherwise the type of its name. */
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
