import { isAscii } from 'node:buffer';
import { statSync } from 'node:fs';
import type { AttachmentFacts, Warning } from '@attache/contracts';
import { listFirstEncodings } from '@attache/domain/first-encodings';
import type { FaultCounts } from '@attache/domain/lenient-decoder';
import { createTextCheck, type TextCheckOptions } from '@attache/domain/text-check';
import { decodeOpening } from '@attache/domain/text-decoder';
import { readChunks, readHead } from '../../file/read-file.ts';
import { collectSample, type TextSample } from './collect-sample.ts';
import { judgeWriting } from './judge-writing.ts';
import { type RankedEncoding, rankEncodings } from './rank-encodings.ts';

/** The encoding in which a whole file is text. */
export type DetectedEncoding = {
  facts: Pick<AttachmentFacts, 'hasByteOrderMark' | 'textFaults'> & { encoding: string };
  warnings: Warning[];
  /** Whether files may be in it as base64. */
  mayHoldMedia: boolean;
};

/** A file that is no text, or whose encoding nothing here decodes; `warnings` say which. */
export type NoEncoding = { facts?: undefined; warnings: Warning[] };

export async function detectEncoding(path: string): Promise<DetectedEncoding | NoEncoding> {
  const { encodings, hasByteOrderMark, mayBeOlder } = listFirstEncodings(readHead(path));
  for (const encoding of encodings) {
    const check = checkFile(path, encoding);
    if (!check.isText) continue;
    return (check.mayShift && (await detectShifted(path))) || detected({ encoding, hasByteOrderMark }, check);
  }
  const shifted = await detectShifted(path);
  if (shifted !== undefined) return shifted;
  const older = mayBeOlder ? await detectOlder(path) : noText;
  if (older.facts !== undefined || older.warnings.length > 0) return older;
  return detectDamaged(path, { encoding: encodings.at(-1) ?? 'utf-8', hasByteOrderMark }) ?? noText;
}

const noText: NoEncoding = { warnings: [] };

/** Bytes of ASCII may be an encoding of 7 bits, which announces itself. */
async function detectShifted(path: string): Promise<DetectedEncoding | NoEncoding | undefined> {
  const sample = findShifted(path);
  const [best] = sample.length === 0 ? [] : await rankEncodings(sample);
  if (chineseShifts.some((shift) => sample.includes(shift))) return { warnings: [warnUnknown('ISO-2022-CN')] };
  if (best === undefined || !shiftedNames.test(best.name)) return undefined;
  if (best.label === undefined) return { warnings: [warnUnknown(best.name)] };
  const check = checkFile(path, best.label);
  return check.isText ? detected({ encoding: best.label, hasByteOrderMark: false }, check) : undefined;
}

const shiftedNames = /^(?:iso-?2022|hz)/i;
const chineseShifts = ['\x1b$)A', '\x1b$)E', '\x1b$)G', '\x1b$*H'];

function findShifted(path: string): Buffer {
  for (const chunk of readChunks(path))
    if (isAscii(chunk) && (chunk.includes('\x1b$') || chunk.includes('~{'))) return Buffer.from(chunk);
  return Buffer.alloc(0);
}

/** Text in an older encoding, in several, or with bytes that are none. */
async function detectOlder(path: string): Promise<DetectedEncoding | NoEncoding> {
  const sample = collectSample(path, statSync(path).size);
  const utf8 = { encoding: 'utf-8', hasByteOrderMark: false };
  const ranked = sample.others.bytesBeyondAscii === 0 ? [] : await rankEncodings(sample.others.lines);
  const [best] = ranked;
  const warnings = warnUnsure(ranked);
  if (isUtf8(sample, best?.label)) return detectDamaged(path, { ...utf8, linesAs: best?.label }, warnings) ?? noText;
  if (best === undefined) return detectDamaged(path, utf8) ?? detectAnyLetters(path, sample) ?? noText;
  if (best.label === undefined) return { warnings: [warnUnknown(best.name)] };
  const fit = findFit(path, ranked);
  const damaged = isFarBehind(fit?.ranked, best)
    ? detectDamaged(path, { encoding: best.label, hasByteOrderMark: false }, warnings)
    : undefined;
  if (damaged !== undefined || fit === undefined) return damaged ?? detectAnyLetters(path, sample) ?? noText;
  const unsure = warnUnsure(ranked, fit.ranked);
  const mixed = unsure.length === 0 && holdsUtf8(sample, fit.label) ? [warnDoubt(fit.label, 'utf-8')] : [];
  return detected({ encoding: fit.label, hasByteOrderMark: false }, fit.check, [...unsure, ...mixed]);
}

// UTF-8 amid a line of another encoding: in Latin script, its letters begin with this byte, which others hardly have before such a second one.
function holdsUtf8({ others }: TextSample, label: string): boolean {
  return latinEncodings.test(label) && /\xc3[\x80-\xbf]/.test(others.lines.toString('latin1'));
}

const latinEncodings = /^(?:windows-125[0247]|iso-8859-(?:2|13|15)|macintosh|cp(?:437|85[028]))$/;

/** Text in which a few letters are of an encoding that nothing speaks for. */
function detectAnyLetters(path: string, { others }: TextSample): DetectedEncoding | undefined {
  if (others.bytesBeyondAscii * leastBytesPerLetter > others.lines.length) return undefined;
  for (const used of usual) {
    const check = checkFile(path, used);
    const message = `The text is read as ${used}, but may be in any encoding. If words look wrong, name its encoding.`;
    const warning: Warning = { code: 'encoding_uncertain', severity: 'warning', message, used };
    if (check.isText) return detected({ encoding: used, hasByteOrderMark: false }, check, [warning]);
  }
  return undefined;
}

const usual = ['windows-1252', 'windows-1250', 'cp437'];
const leastBytesPerLetter = 3;

/** The likeliest encoding that takes all bytes. */
function findFit(path: string, all: readonly RankedEncoding[]) {
  for (const ranked of all) {
    const { label } = ranked;
    const check = label === undefined ? undefined : checkFile(path, label);
    if (label !== undefined && check?.isText) return { ranked, label, check };
  }
  return undefined;
}

// The likeliest, in which a few bytes are wrong, is likelier than one that happens to take all bytes.
function isFarBehind(fit: RankedEncoding | undefined, best: RankedEncoding): boolean {
  return fit === undefined || fit.score * 2 < best.score;
}

type Reading = { encoding: string; hasByteOrderMark: boolean; linesAs?: string | undefined };

/** Text of which a few bytes are none. */
function detectDamaged(path: string, reading: Reading, warnings: Warning[] = []): DetectedEncoding | undefined {
  const { linesAs, ...facts } = reading;
  const check = checkFile(path, facts.encoding, { isLenient: true, linesAs });
  const { replaced, otherLines } = check.faults;
  if (!check.isText || (isGuessed(facts) && replaced * leastBytesPerFault > statSync(path).size)) return undefined;
  const textFaults = { replaced, ...(otherLines > 0 ? { otherLines, linesAs } : {}) };
  return detected({ ...facts, ...(replaced + otherLines > 0 ? { textFaults } : {}) }, check, warnings);
}

// UTF-8 and a byte order mark speak for themselves. As another encoding, many a file of numbers reads nearly as well.
const isGuessed = ({ encoding, hasByteOrderMark }: Reading): boolean => encoding !== 'utf-8' && !hasByteOrderMark;
const leastBytesPerFault = 200;

// Some lines of other encodings happen to be UTF-8 as well. In those of one byte a character, they read better as what they are.
function isUtf8({ utf8, others }: TextSample, other: string | undefined): boolean {
  const utf8Share = utf8.bytesBeyondAscii / (utf8.bytesBeyondAscii + others.bytesBeyondAscii);
  if (utf8Share >= 0.5 || other === undefined) return utf8Share >= 0.5;
  if (wideEncodings.has(other)) return utf8Share >= 0.25;
  return utf8Share >= 0.01 && judgeWriting(decodeOpening(utf8.lines, other)).share < 0.5;
}

const wideEncodings = new Set(['shift_jis', 'euc-jp', 'gbk', 'gb18030', 'big5', 'euc-kr']);

function detected(
  facts: DetectedEncoding['facts'],
  { mayHoldMedia }: Checked,
  warnings: Warning[] = [],
): DetectedEncoding {
  return { facts, warnings, mayHoldMedia };
}

// Another that says something else is nearly as likely.
const leastMargin = 0.1;
// A few letters are little to go by.
const leastEvidence = 0.1;

function warnUnsure(ranked: readonly RankedEncoding[], used = ranked[0]): Warning[] {
  const other = ranked.find(({ text }) => text !== used?.text);
  if (used?.label === undefined || other === undefined) return [];
  const isClear = used.evidence >= leastEvidence && other.evidence <= used.evidence * (1 - leastMargin);
  if (isClear) return [];
  return [warnDoubt(used.label, other.label ?? other.name)];
}

function warnDoubt(used: string, runnerUp: string): Warning {
  const message = `The text is read as ${used}, but may be in ${runnerUp}. If words look wrong, name its encoding.`;
  return { code: 'encoding_uncertain', severity: 'warning', message, used, runnerUp };
}

function warnUnknown(name: string): Warning {
  const message = `The text seems to be in ${name}, which cannot be decoded here. Convert the file to UTF-8.`;
  return { code: 'encoding_uncertain', severity: 'warning', message, runnerUp: name };
}

type Checked = { isText: boolean; faults: FaultCounts; mayShift: boolean; mayHoldMedia: boolean };

function checkFile(path: string, encoding: string, options?: TextCheckOptions): Checked {
  const check = createTextCheck(encoding, options);
  for (const chunk of readChunks(path)) if (!check.push(chunk)) break;
  return {
    isText: check.end(),
    faults: check.faults(),
    mayShift: check.mayShift(),
    mayHoldMedia: check.mayHoldMedia(),
  };
}
