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
  loadDriver: async () => (await import('./pi-driver.ts')).piDriver,
  loadTrial: async () => (await import('./pi-trial.ts')).piTrial,
};
