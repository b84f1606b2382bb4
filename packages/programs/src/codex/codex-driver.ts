import type { ProgramDriver } from '@attache/agent-process/create-driver';
import { speakCodex } from './app-server/codex-protocol.ts';
import { codexAppServerSettings } from './settings/codex-settings.ts';

/** `codex app-server` (seen with 0.169.0). Images and sound are handed over as managed files. */
export const codexDriver: ProgramDriver = {
  traits: { takesFiles: true, isSelfDescribing: false },
  settingsOf: codexAppServerSettings,
  speak: speakCodex,
};
