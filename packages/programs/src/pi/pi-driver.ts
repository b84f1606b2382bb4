import type { ProgramDriver } from '@attache/agent-process/create-driver';
import { piSettings } from './pi-settings.ts';
import { speakPi } from './rpc/pi-protocol.ts';

/** `pi --mode rpc` (seen with 0.87.1). */
export const piDriver: ProgramDriver = {
  traits: { takesFiles: false, isSelfDescribing: false },
  settingsOf: piSettings,
  speak: speakPi,
};
