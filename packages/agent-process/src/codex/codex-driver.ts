import { createDriver, type DriverOptions } from '../create-driver.ts';
import type { AgentDriver } from '../driver.ts';
import { codexAppServerSettings } from '../settings/codex-settings.ts';
import { speakCodex } from './codex-protocol.ts';

/** Drives `codex app-server` (seen with 0.169.0). Images and sound are handed over as managed files. */
export function createCodexDriver(options: DriverOptions): AgentDriver {
  const definition = {
    runtime: 'codex-app-server',
    traits: { takesFiles: true, isSelfDescribing: false },
    settingsOf: codexAppServerSettings,
    speak: speakCodex,
  } as const;
  return createDriver(definition, options);
}
