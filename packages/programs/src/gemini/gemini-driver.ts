import { plainTraits } from '../acp/acp-traits.ts';
import { createAcpDriver } from '../acp/create-acp-driver.ts';
import { geminiSettings } from './gemini-settings.ts';

export const geminiDriver = createAcpDriver(geminiSettings, {
  ...plainTraits,
  authMethod: 'gemini-api-key',
  // Next to a resource, images and sound of the same prompt are lost silently (seen with 0.61.0).
  embedsMedia: true,
  // Its ids of calls begin with the name of the tool that will run.
  isAboutAttache: ({ toolCallId }) => String(toolCallId).startsWith('mcp_attache_'),
});
