import type { ReceivedText } from './read-prompt.ts';

const FIRST_LINE_LENGTH = 120;

/** The agent's text about a text file that it got. */
export function describeText({ uri, mimeType, text, sha256 }: ReceivedText): string {
  const lines = text.split('\n');
  const lineCount = text.endsWith('\n') ? lines.length - 1 : lines.length;
  const firstLine = JSON.stringify((lines[0] ?? '').slice(0, FIRST_LINE_LENGTH));
  const characters = [...text].length;
  const what = /\.pdf$/i.test(nameOf(uri)) ? 'text of' : 'text file';
  return `the ${what} ${JSON.stringify(nameOf(uri))} with ${lineCount} lines and ${characters} characters, first line ${firstLine} (${mimeType}, sha256 ${sha256})`;
}

/** A file's name, which is the last part of its address. */
export function nameOf(uri: string): string {
  return decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1));
}
