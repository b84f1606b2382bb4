import type { Capability, CapabilityOverride } from '@attache/contracts';
import { nouns } from './block-capability.ts';

const fields = { image: 'image', pdf: 'document', text: 'text', audio: 'audio', video: 'video' } as const;

/**
 * Why an override makes no sense beside what is known without it; undefined where it does. It may say what is not known, say no, and
 * tighten limits: what was seen to fail does not become possible by saying so (BX-19).
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
