import { isListedTool } from '../api/server-tools.ts';
import { type Rule, type WordRule, words } from './field-rules.ts';
import type { EmptyRule, JudgedEndpoint, SettledRule } from './field-scan.ts';

const anything: SettledRule = { kind: 'any' };
export const empty: EmptyRule = { kind: 'empty', code: 'relay_field_refused' };
export const emptyOfTool: EmptyRule = { kind: 'empty', code: 'relay_server_tool_refused' };

const DATA_URL = /^data:/i;
const BASE64 = /^[\w+/=\s-]+$/;
/** Signs that a reader of URLs leaves out. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a reader of URLs leaves control characters out, too.
const BLANKS = /^[\s\u0000-\u0020\u007f-\u00a0]+/;
/** The beginning of a text may end within an escape. */
const CUT_ESCAPE = /(?<!\\)((?:\\\\)*)\\(?:u[\da-f]{0,3})?$/i;

/** Makes of a rule what it is for this endpoint. */
export function settleRule(rule: Rule, { serverTools = [], urlSources, model }: JudgedEndpoint): SettledRule {
  switch (rule.kind) {
    case 'nothing':
      return empty;
    case 'listed':
      return isListedTool(rule.tool, serverTools) ? anything : emptyOfTool;
    case 'of-tools':
      return serverTools.length > 0 ? anything : emptyOfTool;
    case 'model':
      return words(model === undefined ? '' : `${model} models/${model}`);
    case 'url':
    case 'inline':
      return urlSources === 'allow' ? anything : rule;
    default:
      return rule;
  }
}

/** Whether a text may be where this rule is. `spelled`: its beginning, without its quotes. */
export function mayBeText(rule: SettledRule, spelled: string): boolean {
  switch (rule.kind) {
    case 'empty':
      return spelled === '';
    case 'url':
      return spelled === '' || DATA_URL.test(spelled);
    case 'inline':
      return spelled === '' || isInline(spelled);
    default:
      return true;
  }
}

/** Base64 has no sign of a URL but slashes. A text that begins with nothing but blanks is neither. */
function isInline(spelled: string): boolean {
  const text = readSpelled(spelled.replace(CUT_ESCAPE, '$1'))?.replace(BLANKS, '') ?? '';
  return DATA_URL.test(text) || BASE64.test(text);
}

/** Whether a word passes, and if not, why. */
export function judgeWord(
  { own, ofTools, ofUrls }: WordRule,
  word: string | undefined,
  { serverTools = [], urlSources }: JudgedEndpoint,
): 'passes' | EmptyRule['code'] {
  if (word === undefined) return 'relay_field_refused';
  if (own.has(word) || (urlSources === 'allow' && ofUrls.has(word))) return 'passes';
  if (!ofTools.has(word)) return 'relay_field_refused';
  return serverTools.length > 0 ? 'passes' : 'relay_server_tool_refused';
}

/** Reads a key or word without its escapes; undefined if that is no JSON. */
export function readSpelled(spelled: string): string | undefined {
  if (!spelled.includes('\\')) return spelled;
  try {
    return String(JSON.parse(`"${spelled}"`));
  } catch {
    return undefined;
  }
}
