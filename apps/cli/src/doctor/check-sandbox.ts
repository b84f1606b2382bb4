import type { FoundBubblewrap } from '@attache/agent-process';
import type { SettledSandbox } from '@attache/programs/settle-sandbox';
import type { Check } from './finding.ts';

/** Checks whether sandboxes can be made on this machine, and what a start would do if they cannot. */
export function checkOfSandbox(bubblewrap: FoundBubblewrap, { byDefault, notice }: SettledSandbox): Check {
  return {
    name: 'sandbox',
    async run() {
      if (bubblewrap.status === 'works') return { state: 'ok', detail: `agents run in one, by ${bubblewrap.program}` };
      const [line = ''] = bubblewrap.said.split('\n');
      const detail = `none works here, ${bubblewrap.cause}${line === '' ? '' : `: ${line}`}`;
      return { state: byDefault === 'none' ? 'warning' : 'failed', detail, fix: notice };
    },
  };
}
