import type { ModelApi } from '../relay-types.ts';

/** Keys of a body, besides `tools`, that add tools which the provider runs, and the name under which each is allowed. */
const toolKeys: Readonly<Record<ModelApi, Readonly<Record<string, string>>>> = {
  anthropic: { mcp_servers: 'mcp_servers', container: 'container' },
  'openai-responses': { prompt: 'prompt' },
  'openai-chat': { web_search_options: 'web_search' },
  google: {},
};

/** Types of tools that the program runs itself: all others are the provider's, also those that are new. */
const ownTypes: Readonly<Record<Exclude<ModelApi, 'google'>, RegExp>> = {
  anthropic: /^(?:custom|(?:bash|text_editor|memory)_\d{8})$/,
  'openai-responses': /^(?:function|custom|namespace|local_shell|apply_patch|tool_search)$/,
  'openai-chat': /^(?:function|custom)$/,
};

const GOOGLE_OWN = ['functionDeclarations', 'function_declarations'];

/** The keys at the top of a body that must be read to know which tools it asks for. */
export const listToolKeys = (api: ModelApi): readonly string[] => ['tools', ...Object.keys(toolKeys[api])];

/** Names of the tools of the provider that the value of one of those keys asks for. */
export function findServerTools(api: ModelApi, key: string, value: unknown): string[] {
  if (key !== 'tools') return isEmpty(value) ? [] : [toolKeys[api][key] ?? key];
  const tools = Array.isArray(value) ? value : isEmpty(value) ? [] : [value];
  return tools.flatMap((tool) => (api === 'google' ? nameGoogle(tool) : nameTyped(api, tool)));
}

/** Whether the value of `tools` lets the model call anything. */
export function hasTools(api: ModelApi, tools: unknown): boolean {
  if (!Array.isArray(tools) || tools.length === 0) return false;
  if (api !== 'google') return true;
  return tools.some(
    (tool) => isObject(tool) && GOOGLE_OWN.some((name) => Array.isArray(tool[name]) && !isEmpty(tool[name])),
  );
}

/** Whether a tool is in the list, by its name (`web_search`), or by name and version (`web_search_20250305`). */
export function isListedTool(tool: string, listed: readonly string[]): boolean {
  return listed.includes(tool) || listed.includes(tool.replace(/_(?:\d{8}|\d{4}_\d{2}_\d{2})$/, ''));
}

function nameTyped(api: Exclude<ModelApi, 'google'>, tool: unknown): string[] {
  if (!isObject(tool)) return ['unknown'];
  const { type = 'custom', tools } = tool;
  if (typeof type !== 'string') return ['unknown'];
  const inner = Array.isArray(tools) ? tools.flatMap((each) => nameTyped(api, each)) : [];
  return ownTypes[api].test(type) ? inner : [type, ...inner];
}

function nameGoogle(tool: unknown): string[] {
  if (!isObject(tool)) return ['unknown'];
  const names = Object.keys(tool).filter((name) => !GOOGLE_OWN.includes(name));
  return names.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);
