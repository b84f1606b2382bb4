import type { DeclaredCapability, KindCapability, Profiles, TriState } from '@attache/contracts';
import { resolveCapability } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { findTarget } from '../../explain/list-targets.ts';

/** The kinds of files that a profile's model takes, by everything that is known; `reason` if no model is named. */
export type Abilities =
  | { status: 'known'; provider: string; model: string; takes: Record<ShownKind, TriState> }
  | { status: 'no-target'; reason: string };

type ShownKind = 'image' | 'pdf' | 'text' | 'audio';

/** Resolves abilities as a delivery does; `declared` is the agent's own report when it was started. */
export function describeAbilities(
  profiles: Profiles,
  profile: string,
  declared: DeclaredCapability | undefined,
): Abilities {
  const found = findTarget(profiles, profile);
  if (!found.ok) return { status: 'no-target', reason: found.message };
  const { transport, provider, model, command, capability: profileCapability, lineBytes } = found.target;
  const { image, document, text, audio } = resolveCapability(
    {
      target: { profile, runtime: transport, provider, model },
      // Other runtimes are known, whatever their programs say.
      declared: transport === 'acp' ? declared : undefined,
      ...{ command, profileCapability, lineBytes },
    },
    catalog,
  );
  const takes = { image: combine(image), pdf: combine(document), text: combine(text), audio: combine(audio) };
  return { status: 'known', provider, model, takes };
}

function combine({ transport, model }: KindCapability): TriState {
  if (transport === 'no' || model === 'no') return 'no';
  return transport === 'yes' && model === 'yes' ? 'yes' : 'unknown';
}
