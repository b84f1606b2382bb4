import { listCommands } from '../named-commands.ts';
import { callsOf, type OwnTools, type ProgramTrial, patchIn, refusalsByStatus } from '../program-trial.ts';

const execCommand = (command: string) => ({ name: 'exec_command', input: { cmd: command } });

/** The tools of Codex, also behind its adapter. */
const codexTools: OwnTools = (trial) => [
  ...listCommands(trial).flatMap((cmd) => callsOf('exec_command', { cmd })),
  ...callsOf('view_image', { path: trial.pictureFile }),
  ...callsOf('apply_patch', patchIn(trial.folder)),
  ...callsOf('shell', { command: ['cat', trial.textFile] }),
  ...callsOf('shell_command', { command: `cat ${trial.textFile}` }),
  ...callsOf('write_stdin', { session_id: 1, chars: 'x' }),
  ...callsOf('read_file', { file_path: trial.textFile }),
  ...callsOf('list_dir', { dir_path: trial.folder }),
  ...callsOf('grep_files', { pattern: '.', path: trial.folder }),
  ...callsOf('read_mcp_resource', { server: 'attache', uri: `file://${trial.textFile}` }),
  ...callsOf('spawn_agent', { task_name: 'read', message: `Read ${trial.textFile}.` }),
  ...callsOf('create_goal', { objective: `Read ${trial.textFile}.` }),
  ...callsOf('image_generation', { prompt: 'a dog' }),
];

export const codexTrial: ProgramTrial = {
  api: 'openai-responses',
  provider: 'openai',
  model: 'gpt-5.5',
  shell: execCommand,
  bareShell: execCommand,
  ownTools: codexTools,
  nameOwnTool: (name) => `mcp__attache__${name}`,
  refusedOfTools: { relay_outside_turn: 'an agent that it started works on after the turn' },
  refusals: refusalsByStatus,
  refusedPicture: 'gone',
};
