import { parseSync } from 'oxc-parser';

/** A comment without its signs, in one line, and the line on which it begins. Line comments that follow each other are one. */
export type Comment = { line: number; text: string };

/** The comments of a file of TypeScript or JavaScript, in their order. */
export function readComments(path: string, source: string): Comment[] {
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  const comments: Comment[] = [];
  let end = -1;
  for (const comment of parseSync(path, source).comments) {
    const text = comment.value
      .replace(/^\s*\*+ ?/gm, '')
      .trim()
      .replace(/\s*\n\s*/g, ' ');
    const last = comments.at(-1);
    const isContinued = comment.type === 'Line' && last !== undefined && source.slice(end, comment.start).trim() === '';
    if (isContinued) last.text += ` ${text}`;
    else comments.push({ line: lineAt(comment.start), text });
    end = comment.end;
  }
  return comments;
}
