import type { Capability, CapabilityOverride } from '@attache/contracts';
import { nouns } from '../plan/gate-kind.ts';

const fields = { image: 'image', pdf: 'document', text: 'text', audio: 'audio', video: 'video' } as const;

/**
 * The reason why an override is not valid, given the known abilities; undefined if it is valid. An override may decide an unknown ability, say no, and tighten
 * limits. An ability that was seen to fail does not become possible by an override (BX-19).
 */
export function checkOverride(known: Capability, override: CapabilityOverride): string | undefined {
  const { limits, ...said } = override;
  if (Object.keys(said).length + Object.keys(limits ?? {}).length === 0)
    return 'The override says nothing. Name a kind or a limit.';
  for (const [field, kind] of Object.entries(fields) as [keyof typeof fields, (typeof fields)[keyof typeof fields]][]) {
    if (said[field] !== true) continue;
    const { transport, model, evidence } = known[kind];
    if (transport === 'no')
      return `The runtime does not carry ${nouns[kind]}: ${evidence?.transport.note ?? ''} No override changes that.`;
    if (model === 'no')
      return `The model is known not to take ${nouns[kind]}: ${evidence?.model.note ?? ''} No override changes that.`;
  }
  if (said.image === false && limits?.maxImages !== undefined)
    return 'The override allows no images and limits their number. Say one of both.';
  if (said.pdf === false && limits?.maxPages !== undefined)
    return 'The override allows no PDF and limits its pages. Say one of both.';
  return undefined;
}
