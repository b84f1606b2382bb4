import type { ModelApi } from '../relay-types.ts';

const GOOGLE_OWN = ['functionDeclarations', 'function_declarations'];

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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);
