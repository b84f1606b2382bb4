import { isListedTool } from '../api/server-tools.ts';
import { findShortWord } from '../content/string/find-short-word.ts';
import { findStringEnd } from '../json/find-string-end.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isScalar,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipPlain,
} from '../json/json-bytes.ts';
import { type FieldsRule, type WordRule, words } from './field-rules.ts';
import {
  type EmptyRule,
  type FieldLevel,
  type FieldScan,
  type NullRule,
  type RefusedField,
  refuseField,
  type SettledRule,
} from './field-scan.ts';
import { isNoted, judgeWhole, noteValue } from './judge-whole.ts';
import { empty, emptyOfTool, judgeWord, mayBeText, readSpelled, settleRule } from './settle-rule.ts';

// Walks through the objects of a body whose keys are listed while it streams through, whatever its size. Texts are passed over, and so is
// what may be anything. Each occurrence of a key is judged, so that two of them are no way around.

const MAX_KEPT_CHARACTERS = 256;
const [LETTER_F, LETTER_N] = Buffer.from('fn');

/** Reads on, after the scan that finds the body to be JSON has read the same chunk. Returns what is refused, after which the scan is over. */
export function scanFields(scan: FieldScan, chunk: Buffer): RefusedField | undefined {
  let at = 0;
  while (at < chunk.length && scan.refused === undefined) {
    if (scan.isInString) at = takeString(scan, chunk, at);
    else if (scan.aside > 0) at = skipAside(scan, chunk, at);
    else at = takeByte(scan, chunk, at);
  }
  return scan.refused;
}

function takeString(scan: FieldScan, chunk: Buffer, from: number): number {
  const found = findStringEnd(scan.place, chunk, from);
  const end = found === -1 ? chunk.length : found;
  if (scan.kept !== undefined && scan.kept.length < MAX_KEPT_CHARACTERS)
    scan.kept += chunk.toString('latin1', from, Math.min(end, from + MAX_KEPT_CHARACTERS));
  if (found === -1) return end;
  scan.isInString = false;
  if (scan.kept !== undefined) endKept(scan, scan.kept);
  scan.kept = undefined;
  return end + 1;
}

function skipAside(scan: FieldScan, chunk: Buffer, from: number): number {
  const at = skipPlain(chunk, from);
  const byte = chunk[at];
  if (byte === QUOTE) scan.isInString = true;
  else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) scan.aside += 1;
  else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) scan.aside -= 1;
  return at + 1;
}

function takeByte(scan: FieldScan, chunk: Buffer, at: number): number {
  const byte = chunk[at] ?? 0;
  if (isSpace(byte)) {
    scan.isInScalar = false;
    return at + 1;
  }
  const level = scan.levels.at(-1);
  if (level === undefined) {
    if (byte === OPEN_BRACE) openLevel(scan, scan.root, false);
    return at + 1;
  }
  switch (level.expects) {
    case 'key':
      return takeKey(scan, level, chunk, at);
    case 'colon':
      level.expects = 'value';
      if (byte !== COLON) refuseField(scan, 'relay_body_malformed');
      return at + 1;
    case 'value':
      if (byte === CLOSE_BRACKET && level.isArray) closeLevel(scan, level);
      else beginValue(scan, level, byte);
      return at + 1;
    case 'next':
      if (scan.isInScalar && isScalar(byte)) return at + 1;
      if (byte === COMMA) level.expects = level.isArray ? 'value' : 'key';
      else if (byte === (level.isArray ? CLOSE_BRACKET : CLOSE_BRACE)) closeLevel(scan, level);
      else refuseField(scan, 'relay_body_malformed');
      return at + 1;
    default:
      return level.expects satisfies never;
  }
}

function takeKey(scan: FieldScan, level: FieldLevel, chunk: Buffer, at: number): number {
  const byte = chunk[at];
  const short = byte === QUOTE ? findShortWord(chunk, at) : undefined;
  if (short !== undefined) {
    placeKey(scan, level, short);
    return at + short.length + 2;
  }
  if (byte === QUOTE) {
    scan.isInString = true;
    scan.kept = '';
  } else if (byte === CLOSE_BRACE) closeLevel(scan, level);
  else refuseField(scan, 'relay_body_malformed');
  return at + 1;
}

/** A key, or a text that is judged. */
function endKept(scan: FieldScan, spelled: string): void {
  const level = scan.levels.at(-1);
  if (level === undefined) return;
  const word = readSpelled(spelled);
  if (level.expects === 'key') {
    placeKey(scan, level, word ?? spelled);
    return;
  }
  noteValue(level, word ?? spelled);
  if (scan.textRule.kind === 'word') endWord(scan, level, { rule: scan.textRule, word });
  else if (!mayBeText(scan.textRule, spelled))
    refuseField(scan, scan.textRule.kind === 'empty' ? scan.textRule.code : 'relay_field_refused');
}

type ReadWord = { readonly rule: WordRule; readonly word: string | undefined };

function endWord(scan: FieldScan, level: FieldLevel, { rule, word }: ReadWord): void {
  const tool = level.rule.kind === 'fields' ? level.rule.tool : undefined;
  const judged = judgeWord(rule, word, scan.endpoint);
  if (tool?.by === 'type') judgeToolType(scan, level, { word, own: tool.own });
  else if (judged !== 'passes') refuseField(scan, judged);
}

/** All types of tools that the program does not run itself are the provider's, also those that are new. */
function judgeToolType(
  scan: FieldScan,
  level: FieldLevel,
  { word = '', own }: { word?: string | undefined; own: RegExp },
) {
  if (own.test(word)) return;
  level.isListedTool = isListedTool(word, scan.endpoint.serverTools ?? []);
  if (!level.isListedTool) refuseField(scan, 'relay_server_tool_refused');
}

const anything = { kind: 'any' } as const;
const unlisted = { kind: 'null', code: 'relay_field_refused' } as const;
const unlistedTool = { kind: 'null', code: 'relay_server_tool_refused' } as const;
const ofStrangeTool = { kind: 'null', code: undefined } as const;
const toolType = words('');

function placeKey(scan: FieldScan, level: FieldLevel, key: string): void {
  level.expects = 'colon';
  level.key = key;
  const { rule } = level;
  const found = rule.kind === 'fields' ? rule.keys.get(key) : undefined;
  if (rule.kind === 'empty') refuseField(scan, rule.code);
  else if (rule.tool?.by === 'type' && key === 'type') level.next = toolType;
  else if (found !== undefined) level.next = settleRule(found, scan.endpoint);
  else if (rule.tool === undefined) level.next = unlisted;
  else placeToolKey(scan, level, rule);
}

/** A key that none of the program's own tools has. */
function placeToolKey(scan: FieldScan, level: FieldLevel, { tool }: FieldsRule): void {
  if (tool?.by === 'type') level.next = ofStrangeTool;
  else {
    const name = level.key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    level.next = isListedTool(name, scan.endpoint.serverTools ?? []) ? anything : unlistedTool;
  }
}

function beginValue(scan: FieldScan, level: FieldLevel, byte: number): void {
  const rule = level.isArray ? level.rule : judgeUnlisted(scan, level, byte);
  level.index += 1;
  level.expects = 'next';
  const isOpening = byte === OPEN_BRACE || byte === OPEN_BRACKET;
  if (rule.kind === 'empty' && (level.isArray || byte === OPEN_BRACE)) refuseField(scan, rule.code);
  else if (byte === QUOTE) {
    scan.isInString = true;
    scan.textRule = rule.kind === 'fields' ? textRuleOf(scan, rule) : rule;
    scan.kept = scan.textRule.kind === 'any' && !isNoted(level) ? undefined : '';
  } else if (isOpening && rule.kind === 'any') {
    scan.aside = 1;
    noteValue(level, true);
  } else if (isOpening && (rule.kind === 'fields' || rule.kind === 'empty'))
    openLevel(scan, rule, byte === OPEN_BRACKET);
  else if (isOpening) refuseField(scan, 'relay_field_refused');
  else {
    scan.isInScalar = true;
    noteValue(level, byte === LETTER_N ? null : true);
    const isOff = byte === LETTER_N || (byte === LETTER_F && rule.kind === 'empty');
    if (!isOff && rule.kind === 'empty') refuseField(scan, rule.code);
    if (!isOff && rule.kind === 'word') refuseField(scan, 'relay_field_refused');
  }
}

/** The rule for the value that begins. Null says nothing under any key. */
function judgeUnlisted(scan: FieldScan, level: FieldLevel, byte: number): Exclude<SettledRule, NullRule> {
  const rule = level.next;
  if (rule.kind !== 'null') return rule;
  if (byte === LETTER_N) return anything;
  if (rule.code === undefined) level.strangeKey ??= level.key;
  else refuseField(scan, rule.code);
  return anything;
}

const textRuleOf = ({ endpoint }: FieldScan, rule: FieldsRule) =>
  rule.tool === undefined ? settleRule(rule.text, endpoint) : emptyOfTool;

function openLevel(scan: FieldScan, rule: FieldsRule | EmptyRule, isArray: boolean): void {
  scan.levels.push({
    ...{ rule, isArray, expects: isArray ? 'value' : 'key', key: '', next: empty, index: -1 },
    ...{ isListedTool: false, strangeKey: undefined, said: undefined },
  });
}

function closeLevel(scan: FieldScan, level: FieldLevel): void {
  if (level.strangeKey !== undefined && !level.isListedTool) refuseField(scan, 'relay_field_refused', level.strangeKey);
  judgeWhole(scan, level);
  scan.levels.pop();
  const around = scan.levels.at(-1);
  if (around !== undefined) noteValue(around, !level.isArray || level.index >= 0);
}
