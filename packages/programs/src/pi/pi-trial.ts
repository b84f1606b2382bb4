import { callsOf, type OwnTools, type ProgramTrial, refusalsByStatus } from '../program-trial.ts';
import { GATE_COMMAND } from './extension/gate-dialog.ts';

const bash = (command: string) => ({ name: 'bash', input: { command } });

const piTools: OwnTools = ({ folder, textFile, pictureFile }) => [
  ...callsOf('read', { path: textFile }, { path: pictureFile }),
  ...callsOf('write', { path: `${folder}/made-by-write`, content: 'hi' }),
  ...callsOf('edit', { path: textFile, edits: [{ oldText: 'marker', newText: 'b' }] }),
  ...callsOf('grep', { pattern: '.', path: folder }),
  ...callsOf('find', { pattern: '*', path: folder }),
  ...callsOf('ls', { path: folder }),
];

export const piTrial: ProgramTrial = {
  // If an API's tool results cannot hold pictures, it sends them as a message of the user.
  api: 'anthropic',
  provider: 'gw',
  model: 'm',
  listed: { api: 'anthropic', provider: 'anthropic', model: 'claude-sonnet-5' },
  shell: bash,
  bareShell: bash,
  ownTools: piTools,
  readFile: (path) => ({ name: 'read', input: { path } }),
  nameOwnTool: (name) => `attache_${name}`,
  refusals: refusalsByStatus,
  refusedPicture: 'resent',
  ownCommand: `/${GATE_COMMAND} now`,
};
