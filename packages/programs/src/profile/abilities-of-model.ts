import type { AgentSpec } from '@attache/agent-process';
import type { PlanTarget, Profile } from '@attache/contracts';
import { resolveCapability } from '@attache/domain';
import { catalog } from '../catalog.ts';

/**
 * The abilities of a target's model, from the sources of plans: its program is started with them. Statements of tenants and contradictions may change
 * while the program runs, so they are left out. They close a kind for plans alone, and open only what is unknown here.
 */
export function abilitiesOfModel(
  target: PlanTarget,
  { command, capability: profileCapability }: Pick<Profile, 'command' | 'capability'>,
): Required<AgentSpec['modelTakes']> {
  const request = { target, command, declared: undefined, profileCapability, lineBytes: undefined };
  const { image, document, text, audio, video } = resolveCapability(request, catalog);
  return { image: image.model, pdf: document.model, text: text.model, audio: audio.model, video: video.model };
}
