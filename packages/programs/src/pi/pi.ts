import type { Program } from '../program.ts';
import { piRows } from './pi-rows.ts';

/** pi, by its RPC mode. */
export const pi: Program = {
  name: 'pi',
  runtime: 'pi-rpc',
  takesAnyCommand: true,
  rows: piRows,
  providers: ['anthropic', 'openai', 'google'],
  gate: {
    place: 'an extension that is loaded with it',
    coversEveryCall: true,
    note: 'It comes before every call, with the arguments. Without it the program is not started.',
    runsAnyway: [],
    denial: 'no built-in tools',
  },
  listsToolsAtStart: true,
  isBundled: false,
  profile: { name: 'pi', command: ['pi'] },
  package: { key: 'pi', npmPackage: '@earendil-works/pi-coding-agent', version: '0.87.1', bin: 'pi' },
  hosts: [
    ...['api.anthropic.com:443', 'platform.claude.com:443', 'api.openai.com:443', 'auth.openai.com:443'],
    ...['chatgpt.com:443', 'generativelanguage.googleapis.com:443'],
  ],
  errands: [],
  turnRequests: { carryTools: true, errandTexts: [] },
  // It looks for a conversation of its working folder alone: outside of a sandbox one comes back at the same path only.
  memory: { files: [{ path: 'config/sessions/*_{reference}.jsonl', form: 'lines', isNeeded: true }] },
  words: {
    endpoint: {
      apis: ['anthropic', 'openai-responses', 'openai-chat', 'google'],
      by: '`models.json`, as the provider named `provider`; the key in a variable',
      model: 'told, as `provider/model`',
    },
    proof: { written: 'the same of the `prompt` command', responded: '`agent_settled`' },
    resumesBy: 'its session, by `--session`',
    homeUnderDeny: 'its extensions, skills and prompts do not count, in any mode',
  },
  loadDriver: async () => (await import('./pi-driver.ts')).piDriver,
  loadTrial: async () => (await import('./pi-trial.ts')).piTrial,
};
