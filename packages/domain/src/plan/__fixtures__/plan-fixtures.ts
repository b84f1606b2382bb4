import { type AgentId, idFromUuid } from '@attache/contracts';
import { trialCatalog } from '../../__fixtures__/trial-catalog.ts';
import { resolveCapability } from '../../target/resolve-capability.ts';
import type { PlannableAttachment, PlanRequestInput } from '../plan-types.ts';

/** Ready-made inputs for the planner's tests. */

const uuidOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

export const attachmentId = (number: number) => idFromUuid('attachment', uuidOf(number));

export function givenAttachment(number: number, facts: Partial<PlannableAttachment> = {}): PlannableAttachment {
  return {
    id: attachmentId(number),
    name: `file-${number}`,
    mimeType: 'image/png',
    kind: 'image',
    sizeBytes: 100_000,
    status: 'ready',
    facts: { width: 800, height: 600, hasAlpha: false },
    ...facts,
  };
}

export function givenText(number: number, facts: Partial<PlannableAttachment> = {}): PlannableAttachment {
  const text = { mimeType: 'text/plain', kind: 'text', facts: { encoding: 'utf-8', hasByteOrderMark: false } } as const;
  return givenAttachment(number, { ...text, sizeBytes: 1000, ...facts });
}

export function givenPdf(number: number, facts: Partial<PlannableAttachment> = {}): PlannableAttachment {
  const pdf = { mimeType: 'application/pdf', kind: 'document', facts: { pages: 3, textBytes: 4000 } } as const;
  return givenAttachment(number, { ...pdf, ...facts });
}

export function givenTarget(model: string, provider = 'example') {
  return { profile: 'example', runtime: 'acp', provider, model } as const;
}

type GivenRequest = PlanRequestInput & { agentId: AgentId };
export type Given = Partial<GivenRequest> & { lineBytes?: number };

/** A message to `example-vision` with conversions allowed, unless given otherwise. */
export function givenRequest({ lineBytes = 32 * 1024 * 1024, ...given }: Given = {}): GivenRequest {
  const target = given.target ?? givenTarget('example-vision');
  const declared = { image: true, audio: true, embeddedContext: true };
  return {
    agentId: idFromUuid('agent', uuidOf(1)),
    target,
    capability: resolveCapability({ target, declared, profileCapability: undefined, lineBytes }, trialCatalog),
    text: 'look',
    attachments: [],
    conversions: 'allow',
    resident: {},
    isUnknownOverridden: false,
    ...given,
  };
}
