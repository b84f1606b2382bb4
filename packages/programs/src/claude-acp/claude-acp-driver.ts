import path from 'node:path';
import { type AgentSpec, agentFolders } from '@attache/agent-process';
import { recordOf } from '@attache/agent-process/messages/json-values';
import type { ProgramSettings } from '@attache/agent-process/settings/program-settings';
import { plainTraits } from '../acp/acp-traits.ts';
import { createAcpDriver } from '../acp/create-acp-driver.ts';
import { claudeEnvironment } from '../claude/claude-settings.ts';
import { RAW_MESSAGE, rawMessages, readRawTroubles } from './raw-troubles.ts';

// Its own list of what needs no permission is longer: what only reads would run without asking.
const askedTools = [
  'Bash',
  'Read',
  'Edit',
  'Write',
  'Glob',
  'Grep',
  'NotebookEdit',
  'WebFetch',
  'WebSearch',
  'Task',
  'mcp__attache',
];

export const claudeAcpDriver = createAcpDriver(claudeAcpSettings, {
  ...plainTraits,
  notices: { method: RAW_MESSAGE, read: readRawTroubles },
  isAboutAttache: ({ _meta }) => recordOf(recordOf(recordOf(_meta).claudeCode).mcpServer).name === 'attache',
  metaOf: ({ permissionMode }) => {
    const denied = permissionMode === 'deny' ? { options: { tools: [], strictMcpConfig: true } } : {};
    return { claudeCode: { emitRawSDKMessages: rawMessages, ...denied } };
  },
});

function claudeAcpSettings(spec: AgentSpec): ProgramSettings {
  const base = claudeEnvironment(spec);
  const model = spec.model === 'default' ? {} : { ANTHROPIC_MODEL: spec.model };
  const file = path.join(agentFolders(spec.folder).config, 'settings.json');
  const files = [{ path: file, json: { permissions: { ask: askedTools } } }];
  return { ...base, env: { ...base.env, ...model }, args: [], files };
}
