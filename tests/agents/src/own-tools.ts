import { join } from 'node:path';

export type ToolCall = { name: string; input: unknown };

/** Where a trial of tools takes place: what may not come out of it, and what may not be made in it. */
export type Trial = { folder: string; textFile: string; pictureFile: string };

/** A program's own tools, as its model would call them. */
export type OwnTools = (trial: Trial) => ToolCall[];

/** More than twenty commands, by name: they print what is in a file, or make one. */
export function listNamedCommands({ folder, textFile: file }: Trial): [name: string, command: string][] {
  const made = (name: string) => join(folder, `made-by-${name}`);
  const reading = ['cat', 'head -1', 'tail -1', 'grep -r .', 'sed -n p', 'awk 1', 'sort', 'nl', 'tac', 'cut -c 1-'];
  const script = `const fs = require('fs'); fs.writeFileSync('${made('node')}', ''); console.log(fs.readFileSync('${file}', 'utf8'))`;
  return [
    ...reading.map((command): [string, string] => [command.split(' ')[0] ?? '', `${command} ${file}`]),
    ['echo "$(cat …)"', `echo "$(cat ${file})"`],
    ['ls', `ls ${folder}`],
    ['ls … && cat …', `ls -l ${folder} && cat ${folder}/*`],
    ['find', `find ${folder} -type f -exec cat {} +`],
    ['git', `git --no-pager diff --no-index /dev/null ${file}`],
    ['node', `node -e "${script}"`],
    ['python3', `python3 -c "open('${made('python')}', 'w'); print(open('${file}').read())"`],
    ['sh -c', `sh -c 'touch ${made('sh')}; cat ${file}'`],
    ['bash -lc', `bash -lc 'cat ${file}'`],
    ['env cat', `env cat ${file}`],
    ['touch', `touch ${made('touch')}`],
    ['cp', `cp ${file} ${made('cp')}`],
    ['echo', `echo hi > ${made('echo')}`],
    ['xargs …; cat < …', `xargs cat < /dev/null; cat < ${file}`],
  ];
}

export const listCommands = (trial: Trial): string[] => listNamedCommands(trial).map(([, command]) => command);

const patchOf = (folder: string) =>
  `*** Begin Patch\n*** Add File: ${join(folder, 'made-by-patch')}\n+hi\n*** End Patch`;
const calls = (name: string, ...inputs: unknown[]): ToolCall[] => inputs.map((input) => ({ name, input }));
const nowhere = 'http://127.0.0.1:9/';

/** Of Claude Code, also behind its adapter. */
export const claudeTools: OwnTools = ({ folder, textFile, pictureFile }) => [
  ...calls('Read', { file_path: textFile }, { file_path: pictureFile }),
  ...calls('Glob', { pattern: '*', path: folder }),
  ...calls('Grep', { pattern: '.', path: folder, output_mode: 'content' }),
  ...calls('LS', { path: folder }),
  ...calls('Write', { file_path: join(folder, 'made-by-write'), content: 'hi' }),
  ...calls('Edit', { file_path: textFile, old_string: 'marker', new_string: 'b' }),
  ...calls('NotebookEdit', { notebook_path: join(folder, 'made.ipynb'), new_source: 'hi' }),
  ...calls('WebFetch', { url: nowhere, prompt: 'what' }),
  ...calls('WebSearch', { query: 'what' }),
  ...calls('Task', { description: 'read', prompt: `Read ${textFile}.`, subagent_type: 'general-purpose' }),
  ...calls('Agent', { description: 'read', prompt: `Read ${textFile}.`, subagent_type: 'general-purpose' }),
  ...calls('Monitor', { command: `cat ${textFile}`, description: 'read', timeout_ms: 1000 }),
  ...calls('ToolSearch', { query: 'select:Read', max_results: 1 }),
  ...calls('CronCreate', { cron: '* * * * *', prompt: `Read ${textFile}.` }),
  ...calls('EnterPlanMode', {}),
  ...calls('Skill', { skill: 'init' }),
  ...calls('ReadMcpResourceTool', { server: 'attache', uri: `file://${textFile}` }),
];

/** Of Codex, also behind its adapter. */
export const codexTools: OwnTools = (trial) => [
  ...listCommands(trial).flatMap((cmd) => calls('exec_command', { cmd })),
  ...calls('view_image', { path: trial.pictureFile }),
  ...calls('apply_patch', patchOf(trial.folder)),
  ...calls('shell', { command: ['cat', trial.textFile] }),
  ...calls('shell_command', { command: `cat ${trial.textFile}` }),
  ...calls('write_stdin', { session_id: 1, chars: 'x' }),
  ...calls('read_file', { file_path: trial.textFile }),
  ...calls('list_dir', { dir_path: trial.folder }),
  ...calls('grep_files', { pattern: '.', path: trial.folder }),
  ...calls('read_mcp_resource', { server: 'attache', uri: `file://${trial.textFile}` }),
  ...calls('spawn_agent', { task_name: 'read', message: `Read ${trial.textFile}.` }),
  ...calls('create_goal', { objective: `Read ${trial.textFile}.` }),
  ...calls('image_generation', { prompt: 'a dog' }),
];

export const geminiTools: OwnTools = ({ folder, textFile, pictureFile }) => [
  ...calls('read_file', { file_path: textFile }, { file_path: pictureFile }),
  ...calls('read_many_files', { include: [`${folder}/*`] }),
  ...calls('glob', { pattern: '*', dir_path: folder }),
  ...calls('search_file_content', { pattern: '.', dir_path: folder }),
  ...calls('grep_search', { pattern: '.', dir_path: folder }),
  ...calls('list_directory', { dir_path: folder }),
  ...calls('write_file', { file_path: join(folder, 'made-by-write'), content: 'hi' }),
  ...calls('replace', { file_path: textFile, instruction: 'change', old_string: 'marker', new_string: 'b' }),
  ...calls('web_fetch', { prompt: nowhere }),
  ...calls('google_web_search', { query: 'what' }),
  ...calls('invoke_agent', { agent_name: 'generalist', prompt: `Read ${textFile}.` }),
  ...calls('codebase_investigator', { objective: `Read ${textFile}.` }),
  ...calls('activate_skill', { name: 'any' }),
  ...calls('enter_plan_mode', {}),
  ...calls('write_todos', { todos: [{ description: 'read', status: 'pending' }] }),
];

export const openCodeTools: OwnTools = ({ folder, textFile, pictureFile }) => [
  ...calls('read', { filePath: textFile }, { filePath: pictureFile }),
  ...calls('glob', { pattern: '*', path: folder }),
  ...calls('grep', { pattern: '.', path: folder }),
  ...calls('list', { path: folder }),
  ...calls('write', { filePath: join(folder, 'made-by-write'), content: 'hi' }),
  ...calls('edit', { filePath: textFile, oldString: 'marker', newString: 'b' }),
  ...calls('apply_patch', { patchText: patchOf(folder) }),
  ...calls('webfetch', { url: nowhere, format: 'text' }),
  ...calls('task', { description: 'read', prompt: `Read ${textFile}.`, subagent_type: 'general' }),
  ...calls('batch', { tool_calls: [{ tool: 'read', parameters: { filePath: textFile } }] }),
  ...calls('skill', { name: 'customize-opencode' }),
  ...calls('todowrite', { todos: [] }),
];
