import type { KindCapability, PlanChecks, Warning } from '@attache/contracts';
import type { CarriedKind } from '../catalog/catalog-row.ts';
import { blockModel, blockTransport, nameTransport } from './block-capability.ts';
import { type Block, type OpenDraft, orderBlocks, type PlanRequestInput } from './plan-types.ts';

/**
 * The draft as a form of this kind: what the gates of transport and model say, and which of them do not let it through.
 * `isKnown`: the target says what it takes of the kind, so that it can be judged what would have to be made.
 */
export type GatedKind = { kind: KindCapability; draft: OpenDraft; blocks: readonly Block[]; isKnown: boolean };

/** Passes an attachment through transport and model as a kind, which is not its own where it would be converted (DL-63). */
export function gateKind(draft: OpenDraft, as: CarriedKind, input: PlanRequestInput): GatedKind {
  const kind = input.capability[as];
  const checks: PlanChecks = { ...draft.checks, transport: kind.transport, model: kind.model };
  const blocks = orderBlocks([blockTransport(input, as, kind), blockModel(input, as, kind)]);
  const isOpen = blocks.length === 0;
  const warnings = isOpen
    ? [...draft.warnings, ...warnUnknown(kind, input), ...warnAltered(kind, input)]
    : draft.warnings;
  return { kind, draft: { ...draft, checks, warnings }, blocks, isKnown: isOpen || kind.mimeTypes.length > 0 };
}

function warnUnknown(kind: KindCapability, { target }: PlanRequestInput): Warning[] {
  if (kind.model !== 'unknown') return [];
  const message = `It is not known whether ${target.model} understands this kind; it is sent because an override says so.`;
  return [{ code: 'unknown_runtime_capability', severity: 'warning', message }];
}

function warnAltered({ alters }: KindCapability, input: PlanRequestInput): Warning[] {
  if (alters === undefined) return [];
  const message = `${nameTransport(input)} makes another picture of it: its model does not get the bytes that are sent. ${alters.note}`;
  return [{ code: 'program_alters_image', severity: 'warning', message }];
}
