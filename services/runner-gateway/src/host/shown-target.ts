import type { Profile } from '@attache/contracts';
import { type AgentRow, describeAgent } from '@attache/database';
import { resolveCapability } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import type { ShownTarget } from '../granted/socket-owner.ts';

/** The files that an agent's tools may show it, by the capability of its target. If its model is known to take no images, it gets none. */
export function shownTo(row: AgentRow, profile: Profile): ShownTarget {
  const { target } = describeAgent(row);
  const imagesUnder: ShownTarget['imagesUnder'] = (override) => {
    const { image } = resolveCapability(
      {
        ...{ target, command: profile.command, declared: undefined, lineBytes: undefined, override },
        profileCapability: profile.capability,
      },
      catalog,
    );
    return image.model === 'no' ? undefined : image;
  };
  return { profile: row.profile, model: row.model, imagesUnder };
}
