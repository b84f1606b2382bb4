import { callsOf, type OwnTools, type ProgramTrial, refusalsByStatus } from '../program-trial.ts';

const NOWHERE = 'http://127.0.0.1:9/';
const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'try' } });

/** The tools of Claude Code, also behind its adapter. */
const claudeTools: OwnTools = ({ folder, textFile, pictureFile }) => [
  ...callsOf('Read', { file_path: textFile }, { file_path: pictureFile }),
  ...callsOf('Glob', { pattern: '*', path: folder }),
  ...callsOf('Grep', { pattern: '.', path: folder, output_mode: 'content' }),
  ...callsOf('LS', { path: folder }),
  ...callsOf('Write', { file_path: `${folder}/made-by-write`, content: 'hi' }),
  ...callsOf('Edit', { file_path: textFile, old_string: 'marker', new_string: 'b' }),
  ...callsOf('NotebookEdit', { notebook_path: `${folder}/made.ipynb`, new_source: 'hi' }),
  ...callsOf('WebFetch', { url: NOWHERE, prompt: 'what' }),
  ...callsOf('WebSearch', { query: 'what' }),
  ...callsOf('Task', { description: 'read', prompt: `Read ${textFile}.`, subagent_type: 'general-purpose' }),
  ...callsOf('Agent', { description: 'read', prompt: `Read ${textFile}.`, subagent_type: 'general-purpose' }),
  ...callsOf('Monitor', { command: `cat ${textFile}`, description: 'read', timeout_ms: 1000 }),
  ...callsOf('ToolSearch', { query: 'select:Read', max_results: 1 }),
  ...callsOf('CronCreate', { cron: '* * * * *', prompt: `Read ${textFile}.` }),
  ...callsOf('EnterPlanMode', {}),
  ...callsOf('Skill', { skill: 'init' }),
  ...callsOf('ReadMcpResourceTool', { server: 'attache', uri: `file://${textFile}` }),
];

/** Also behind its adapter. */
export const claudeTrial: ProgramTrial = {
  api: 'anthropic',
  provider: 'anthropic',
  model: 'claude-sonnet-5',
  shell: bash,
  bareShell: bash,
  ownTools: claudeTools,
  readFile: (path) => ({ name: 'Read', input: { file_path: path } }),
  nameOwnTool: (name) => `mcp__attache__${name}`,
  refusedOfTools: { relay_server_tool_refused: 'its web search is one of the provider' },
  refusals: refusalsByStatus,
  refusedPicture: 'taken-out',
};
