import { codexTrial } from '../codex/codex-trial.ts';
import type { ProgramTrial } from '../program-trial.ts';

export const codexAcpTrial: ProgramTrial = {
  ...codexTrial,
  refusedPicture: 'resent',
  // Its sandbox lets reading pass; what it does not let pass is asked about.
  shell: (command) => ({
    name: 'exec_command',
    input: { cmd: command, sandbox_permissions: 'require_escalated', justification: 'try' },
  }),
};
