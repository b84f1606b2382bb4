import { callsOf, type OwnTools, type ProgramTrial, patchIn, refusalsByStatus } from '../program-trial.ts';

const NOWHERE = 'http://127.0.0.1:9/';
const { 413: _, ...withoutTooLarge } = refusalsByStatus;
const bash = (command: string) => ({ name: 'bash', input: { command, description: 'try' } });

const openCodeTools: OwnTools = ({ folder, textFile, pictureFile }) => [
  ...callsOf('read', { filePath: textFile }, { filePath: pictureFile }),
  ...callsOf('glob', { pattern: '*', path: folder }),
  ...callsOf('grep', { pattern: '.', path: folder }),
  ...callsOf('list', { path: folder }),
  ...callsOf('write', { filePath: `${folder}/made-by-write`, content: 'hi' }),
  ...callsOf('edit', { filePath: textFile, oldString: 'marker', newString: 'b' }),
  ...callsOf('apply_patch', { patchText: patchIn(folder) }),
  ...callsOf('webfetch', { url: NOWHERE, format: 'text' }),
  ...callsOf('task', { description: 'read', prompt: `Read ${textFile}.`, subagent_type: 'general' }),
  ...callsOf('batch', { tool_calls: [{ tool: 'read', parameters: { filePath: textFile } }] }),
  // The skill that it always has names no folder, and lists that of the agent where `rg` is on the machine.
  ...callsOf('skill', { name: folder }),
  ...callsOf('todowrite', { todos: [] }),
];

export const openCodeTrial: ProgramTrial = {
  api: 'openai-chat',
  provider: 'gw',
  model: 'm',
  listed: { api: 'anthropic', provider: 'anthropic', model: 'claude-sonnet-5' },
  shell: bash,
  bareShell: bash,
  ownTools: openCodeTools,
  readFile: (path) => ({ name: 'read', input: { filePath: path } }),
  nameOwnTool: (name) => `attache_${name}`,
  // After 413 it makes its conversation smaller and asks again, without end: the turn's time ends that.
  refusals: withoutTooLarge,
  refusedPicture: 'resent',
};
