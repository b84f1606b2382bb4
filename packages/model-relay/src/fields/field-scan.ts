import { createStringPlace, type StringPlace } from '../json/find-string-end.ts';
import type { RefusalCode, RelayAccess } from '../relay-types.ts';
import type { FieldsRule, Rule, SaidValue } from './field-rules.ts';

/** The part of an endpoint by which fields are judged. */
export type JudgedEndpoint = Pick<RelayAccess['endpoint'], 'api' | 'serverTools' | 'urlSources'> & {
  /** The model that the path of the request names, if it does. */
  readonly model?: string | undefined;
};

/** Why a body is refused, and the place in it, such as `messages[0].content[2].source.url`. */
export type RefusedField = { readonly code: RefusalCode; readonly field: string };

/** The rule for a value that has to be empty: a tool of the provider, or a field that does not pass. */
export type EmptyRule = { readonly kind: 'empty'; readonly code: RefusalCode };
/** The rule for a value whose key is on no list: null. Without a code, the type of the tool decides whether more may be there. */
export type NullRule = { readonly kind: 'null'; readonly code: RefusalCode | undefined };
/** A rule as it is for one endpoint. */
export type SettledRule =
  | Exclude<Rule, { readonly kind: 'nothing' | 'listed' | 'of-tools' | 'model' }>
  | EmptyRule
  | NullRule;

/** An object or a list that is looked into. */
export type FieldLevel = {
  /** The rule for this object, or for the elements of this list. */
  readonly rule: FieldsRule | EmptyRule;
  readonly isArray: boolean;
  expects: 'key' | 'colon' | 'value' | 'next';
  key: string;
  /** The rule for the value of the key. */
  next: SettledRule;
  index: number;
  /** Whether it is a tool of the provider that the endpoint lists. */
  isListedTool: boolean;
  /** The first key of a tool that only those of the provider may have. */
  strangeKey: string | undefined;
  /** The values that it is judged by as a whole. */
  said: SaidValue[] | undefined;
};

export type FieldScan = {
  readonly endpoint: JudgedEndpoint;
  readonly root: FieldsRule;
  readonly levels: FieldLevel[];
  isInString: boolean;
  isInScalar: boolean;
  /** How many brackets are open in a value that is not looked into. */
  aside: number;
  readonly place: StringPlace;
  /** The beginning of a key or text that is wanted, as it is spelled. */
  kept: string | undefined;
  /** The rule for the text that is read. */
  textRule: SettledRule;
  refused: RefusedField | undefined;
};

export const createFieldScan = (endpoint: JudgedEndpoint, root: FieldsRule): FieldScan => ({
  ...{ endpoint, root, levels: [], isInString: false, isInScalar: false, aside: 0, place: createStringPlace() },
  ...{ kept: undefined, textRule: { kind: 'any' }, refused: undefined },
});

const MAX_NAME_CHARACTERS = 64;
const MAX_FIELD_CHARACTERS = 256;

/** Ends the scan. The name of the place holds letters, digits and few signs, whatever the program wrote. */
export function refuseField(scan: FieldScan, code: RefusalCode, key?: string): void {
  const levels = scan.levels.filter(({ rule }) => rule.kind === 'fields');
  const names = levels.map((level, at) => {
    if (level.isArray) return `[${level.index}]`;
    const name = at === levels.length - 1 && key !== undefined ? key : level.key;
    return `.${name.replaceAll(/[^\w$-]/g, '?').slice(0, MAX_NAME_CHARACTERS)}`;
  });
  scan.refused ??= { code, field: names.join('').slice(1, MAX_FIELD_CHARACTERS) };
}
