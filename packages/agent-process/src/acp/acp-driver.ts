import { createDriver, type DriverOptions } from '../create-driver.ts';
import type { AgentDriver } from '../driver.ts';
import { acpSettings, traitsOfProgram } from '../settings/acp-settings.ts';
import { speakAcp } from './acp-protocol.ts';

/** Drives any agent that speaks the Agent Client Protocol over standard input and output. */
export function createAcpDriver(options: DriverOptions): AgentDriver {
  return createDriver(
    {
      runtime: 'acp',
      traits: { takesFiles: false, isSelfDescribing: true },
      settingsOf: acpSettings,
      speak: (context) => speakAcp(context, traitsOfProgram(context.spec.command)),
    },
    options,
  );
}
