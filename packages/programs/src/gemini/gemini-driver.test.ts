import { expect, it } from 'vitest';
import { geminiDriver } from './gemini-driver.ts';

it('a request for permission is about a tool of Attaché only where the program itself says so, and not what its model wrote [BX-21]', () => {
  const judge = (call: Record<string, unknown>) => geminiDriver.acp.isAboutAttache(call, { meta: {}, earlier: {} });
  expect(judge({ toolCallId: 'mcp_attache_resource_view-1' })).toBe(true);
  expect(judge({ title: 'mcp_attache_resource_view' })).toBe(false);
});
