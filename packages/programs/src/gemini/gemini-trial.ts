import { callsOf, type OwnTools, type ProgramTrial, refusalsByStatus } from '../program-trial.ts';

const NOWHERE = 'http://127.0.0.1:9/';
const shell = (command: string) => ({ name: 'run_shell_command', input: { command, description: 'try' } });

const geminiTools: OwnTools = ({ folder, textFile, pictureFile }) => [
  ...callsOf('read_file', { file_path: textFile }, { file_path: pictureFile }),
  ...callsOf('read_many_files', { include: [`${folder}/*`] }),
  ...callsOf('glob', { pattern: '*', dir_path: folder }),
  ...callsOf('search_file_content', { pattern: '.', dir_path: folder }),
  ...callsOf('grep_search', { pattern: '.', dir_path: folder }),
  ...callsOf('list_directory', { dir_path: folder }),
  ...callsOf('write_file', { file_path: `${folder}/made-by-write`, content: 'hi' }),
  ...callsOf('replace', { file_path: textFile, instruction: 'change', old_string: 'marker', new_string: 'b' }),
  ...callsOf('web_fetch', { prompt: NOWHERE }),
  ...callsOf('google_web_search', { query: 'what' }),
  ...callsOf('invoke_agent', { agent_name: 'generalist', prompt: `Read ${textFile}.` }),
  ...callsOf('codebase_investigator', { objective: `Read ${textFile}.` }),
  ...callsOf('activate_skill', { name: 'any' }),
  ...callsOf('enter_plan_mode', {}),
  ...callsOf('write_todos', { todos: [{ description: 'read', status: 'pending' }] }),
];

export const geminiTrial: ProgramTrial = {
  api: 'google',
  provider: 'google',
  model: 'gemini-2.5-pro',
  shell,
  bareShell: shell,
  ownTools: geminiTools,
  readFile: (path) => ({ name: 'read_file', input: { file_path: path } }),
  nameOwnTool: (name) => `mcp_attache_${name}`,
  // This errand uses gemini-3-flash-preview, as does its web search.
  refusedErrands: { relay_model_refused: 'after thirty calls in a turn it asks whether they are a loop' },
  refusals: refusalsByStatus,
  refusedPicture: 'gone',
};
