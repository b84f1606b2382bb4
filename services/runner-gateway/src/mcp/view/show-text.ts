import { hash } from 'node:crypto';
import { Fault } from '@attache/contracts';
import type { Granted } from '../../granted/read-granted.ts';
import type { ToolScope } from '../agent-tool.ts';
import type { Refusal, Shown } from '../tool-answer.ts';
import type { TextView } from './choose-view.ts';
import { describeOriginal, identify, refusalOf } from './describe-shown.ts';
import { findPageOffset, readTextWindow } from './read-text-window.ts';
import { fetchOriginal, withViewFiles } from './view-files.ts';

/** A part of a text, after the facts about it. `INVALID_REQUEST` if the text ends before. */
export async function showText(
  scope: ToolScope,
  granted: Granted,
  { recipe, range, page }: TextView,
): Promise<Shown | Refusal> {
  const { attachment } = granted;
  const { mimeType, facts } = attachment;
  return withViewFiles(scope, async ({ originalPath, madePath }) => {
    const refusal = await fetchOriginal(scope, granted, originalPath);
    if (refusal) return refusal;
    const { tenantId } = scope.owner.session;
    const job = { tenantId, path: originalPath, outputPath: madePath, mimeType, facts, recipe, signal: scope.signal };
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
    const content = [JSON.stringify(shown), text].map((each) => ({ type: 'text' as const, text: each }));
    return { answer: { content }, bytes: { sha256: hash('sha256', text), sizeBytes: Buffer.byteLength(text) } };
  });
}

function beyondEnd(offset: number, totalCharacters: number): Fault {
  const message = `The text has ${totalCharacters} characters: there is nothing from ${offset} on.`;
  return new Fault('INVALID_REQUEST', `${message} Begin earlier.`);
}
