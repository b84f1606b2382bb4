import { isListedTool } from '../api/server-tools.ts';
import type { Rule, WordRule } from './field-rules.ts';
import type { EmptyRule, JudgedEndpoint, SettledRule } from './field-scan.ts';

const anything: SettledRule = { kind: 'any' };
export const empty: EmptyRule = { kind: 'empty', code: 'relay_field_refused' };
export const emptyOfTool: EmptyRule = { kind: 'empty', code: 'relay_server_tool_refused' };

const SCHEME = /^[^:\\]{0,63}[:\\]/;
const DATA_URL = /^data:/i;

/** Makes of a rule what it is for this endpoint. */
export function settleRule(rule: Rule, { serverTools = [], urlSources }: JudgedEndpoint): SettledRule {
  switch (rule.kind) {
    case 'nothing':
      return empty;
    case 'listed':
      return isListedTool(rule.tool, serverTools) ? anything : emptyOfTool;
    case 'of-tools':
      return serverTools.length > 0 ? anything : emptyOfTool;
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
      // Base64 has neither of these signs; every other URL has one of them.
      return DATA_URL.test(spelled) || !SCHEME.test(spelled);
    default:
      return true;
  }
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
