import { describe, expect, it } from 'vitest';
import { findServerTools, isListedTool } from './server-tools.ts';

describe('tools that the provider runs', () => {
  it.each([
    ['anthropic', [{ name: 'a' }, { type: 'custom', name: 'b' }, { type: 'bash_20250124', name: 'bash' }], []],
    ['anthropic', [{ type: 'web_search_20250305' }], ['web_search_20250305']],
    ['anthropic', [{ type: 'computer_20250124' }], ['computer_20250124']],
    ['anthropic', [{ type: 'customer' }], ['customer']],
    ['openai-responses', [{ type: 'function' }, { type: 'custom' }, { type: 'local_shell' }], []],
    ['openai-responses', [{ type: 'mcp' }, { type: 'code_interpreter' }], ['mcp', 'code_interpreter']],
    [
      'openai-responses',
      [{ type: 'namespace', tools: [{ type: 'function' }, { type: 'web_search' }] }],
      ['web_search'],
    ],
    ['openai-chat', [{ type: 'function' }], []],
    ['openai-chat', [{ type: 'web_search' }], ['web_search']],
    ['google', [{ functionDeclarations: [] }, { function_declarations: [] }], []],
    ['google', [{ googleSearch: {} }, { code_execution: {} }], ['google_search', 'code_execution']],
    ['google', [{ functionDeclarations: [], urlContext: {} }], ['url_context']],
    ['anthropic', [{ type: 1 }, 'web_search', null], ['unknown', 'unknown', 'unknown']],
  ] as const)('%s %j', (api, tools, found) => {
    expect(findServerTools(api, 'tools', tools)).toEqual(found);
  });

  it('come by other keys too', () => {
    expect(findServerTools('openai-chat', 'web_search_options', {})).toEqual(['web_search']);
    expect(findServerTools('openai-responses', 'prompt', { id: 'p' })).toEqual(['prompt']);
    expect(findServerTools('anthropic', 'container', null)).toEqual([]);
  });
});

it('a tool is listed by its name, or by its version alone', () => {
  expect(isListedTool('web_search_20250305', ['web_search'])).toBe(true);
  expect(isListedTool('web_search_20250305', ['web_search_20250305'])).toBe(true);
  expect(isListedTool('web_search_20260209', ['web_search_20250305'])).toBe(false);
  expect(isListedTool('web_search_preview_2025_03_11', ['web_search_preview'])).toBe(true);
  expect(isListedTool('web_search', [])).toBe(false);
});
