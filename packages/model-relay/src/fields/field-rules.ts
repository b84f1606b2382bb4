/** The rule for the value under a key of a request. A key that is on no list may be null; else it is refused by its name. */
export type Rule =
  /** Passes, whatever it is. */
  | { readonly kind: 'any' }
  /** Nothing: null, false, an empty text, list or object. */
  | { readonly kind: 'nothing' }
  /** A data URL; another URL where the endpoint allows these. */
  | { readonly kind: 'url' }
  /** The content itself: base64, or as under `url`. */
  | { readonly kind: 'inline' }
  /** The model that the path names. */
  | { readonly kind: 'model' }
  /** A word, such as the type of a part. */
  | WordRule
  | FieldsRule
  /** A tool of the provider: passes if the endpoint lists it, else as `nothing`. */
  | { readonly kind: 'listed'; readonly tool: string }
  /** Part of what a tool of the provider left in the conversation: passes if the endpoint lists any tool. */
  | { readonly kind: 'of-tools' };

export type WordRule = {
  readonly kind: 'word';
  readonly own: ReadonlySet<string>;
  /** Those that pass if the endpoint lists any tool of the provider. */
  readonly ofTools: ReadonlySet<string>;
  /** Those that pass if the endpoint allows URLs. */
  readonly ofUrls: ReadonlySet<string>;
};

/** An object with these keys, or a list of such objects. */
export type FieldsRule = {
  readonly kind: 'fields';
  readonly keys: Map<string, Rule>;
  /** The rule for a text in its place. */
  readonly text: Rule;
  /** How a tool is known, where these objects are tools: all that the program does not run itself are the provider's. */
  readonly tool?: ToolRule | undefined;
  /** The rule for what such an object says as a whole. */
  readonly whole?: WholeRule | undefined;
};

/** A value under one key of an object: the beginning of a text, whether a list holds anything, or null. All else is true. */
export type SaidValue = { readonly key: string; readonly value: string | boolean | null };

export type WholeRule = {
  /** The keys that it is judged by. */
  readonly keys: ReadonlySet<string>;
  /** Returns the key that is refused. A key that an object has twice is there twice. */
  readonly judge: (said: readonly SaidValue[]) => string | undefined;
};

/** The mark of a tool: the word under `type`, or the key itself. */
export type ToolRule = { readonly by: 'type'; readonly own: RegExp } | { readonly by: 'key' };

export const any: Rule = { kind: 'any' };
export const nothing: Rule = { kind: 'nothing' };
export const url: Rule = { kind: 'url' };
export const inline: Rule = { kind: 'inline' };
export const model: Rule = { kind: 'model' };
export const ofTools: Rule = { kind: 'of-tools' };
export const listed = (tool: string): Rule => ({ kind: 'listed', tool });

export function words(own: string, also: { ofTools?: string; ofUrls?: string } = {}): WordRule {
  const split = (text = '') => new Set(text.split(' ').filter((word) => word !== ''));
  return { kind: 'word', own: split(own), ofTools: split(also.ofTools), ofUrls: split(also.ofUrls) };
}

/** The keys that `names` lists may hold anything. */
export function fields(
  names: string,
  ruled: Readonly<Record<string, Rule>> = {},
  { text = any, tool, whole }: Partial<Pick<FieldsRule, 'text' | 'tool' | 'whole'>> = {},
): FieldsRule {
  const free = names.split(/\s+/).filter((name) => name !== '');
  return {
    kind: 'fields',
    keys: new Map([...free.map((name) => [name, any] as const), ...Object.entries(ruled)]),
    ...{ text, tool, whole },
  };
}

/** Adds keys whose objects contain each other. */
export function addKeys(rule: FieldsRule, ruled: Readonly<Record<string, Rule>>): void {
  for (const [key, each] of Object.entries(ruled)) rule.keys.set(key, each);
}

/** Tools by their `type`, also those within another. Their schemas are the program's own. */
export function typedTools(names: string, own: RegExp): FieldsRule {
  const rule = fields(`type ${names}`, {}, { text: nothing, tool: { by: 'type', own } });
  addKeys(rule, { tools: rule });
  return rule;
}
