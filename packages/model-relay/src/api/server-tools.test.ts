import { expect, it } from 'vitest';
import { isListedTool } from './server-tools.ts';

it('a tool is listed by its name, or by its version alone', () => {
  expect(isListedTool('web_search_20250305', ['web_search'])).toBe(true);
  expect(isListedTool('web_search_20250305', ['web_search_20250305'])).toBe(true);
  expect(isListedTool('web_search_20260209', ['web_search_20250305'])).toBe(false);
  expect(isListedTool('web_search_preview_2025_03_11', ['web_search_preview'])).toBe(true);
  expect(isListedTool('web_search', [])).toBe(false);
});
