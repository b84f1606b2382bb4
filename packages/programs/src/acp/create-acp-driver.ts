import type { ProgramDriver } from '@attache/agent-process/create-driver';
import { speakAcp } from './acp-protocol.ts';
import type { AcpTraits } from './acp-traits.ts';

/** A program that speaks the Agent Client Protocol over standard input and output. */
export function createAcpDriver(
  settingsOf: ProgramDriver['settingsOf'],
  acp: AcpTraits,
): ProgramDriver & { acp: AcpTraits } {
  return {
    traits: { takesFiles: false, isSelfDescribing: true },
    settingsOf,
    speak: (context) => speakAcp(context, acp),
    acp,
  };
}
