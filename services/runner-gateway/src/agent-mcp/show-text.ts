import { Fault } from '@attache/contracts';
import type { Granted } from '../agent-socket/read-granted.ts';
import type { ToolScope } from './agent-tool.ts';
import type { TextView } from './choose-view.ts';
import { describeOriginal, identify, refusalOf } from './describe-shown.ts';
import { findPageOffset, readTextWindow } from './read-text-window.ts';
import type { Refusal, ToolAnswer } from './tool-answer.ts';
import { fetchOriginal, withViewFiles } from './view-files.ts';

/** A part of a text, after what is said of it. `INVALID_REQUEST` where the text ends before. */
export async function showText(
  scope: ToolScope,
  granted: Granted,
  { recipe, range, page }: TextView,
): Promise<ToolAnswer | Refusal> {
  const { attachment } = granted;
  const { mimeType, facts } = attachment;
  return withViewFiles(scope, async ({ originalPath, madePath }) => {
    const refusal = await fetchOriginal(scope, granted, originalPath);
    if (refusal) return refusal;
    const job = { path: originalPath, outputPath: madePath, mimeType, facts, recipe, signal: scope.signal };
    const made = await scope.deps.media.makeVariant(job);
    if (made.status === 'failed') return refusalOf(made);
    const offset = page === undefined ? range.offset : ((await findPageOffset(madePath, page)) ?? 0);
    const { text, totalCharacters } = await readTextWindow(madePath, { offset, length: range.length });
    if (offset > 0 && offset >= totalCharacters) throw beyondEnd(offset, totalCharacters);
    const length = Array.from(text).length;
    const shown = {
      ...identify(attachment),
      form: 'text',
      shown: { sha256: made.sha256, totalCharacters },
      original: describeOriginal(attachment),
      textRange: { offset, length },
      ...(offset + length < totalCharacters ? { nextOffset: offset + length } : {}),
    };
    return {
      content: [
        { type: 'text', text: JSON.stringify(shown) },
        { type: 'text', text },
      ],
    };
  });
}

function beyondEnd(offset: number, totalCharacters: number): Fault {
  const message = `The text has ${totalCharacters} characters: there is nothing from ${offset} on.`;
  return new Fault('INVALID_REQUEST', `${message} Begin earlier.`);
}
