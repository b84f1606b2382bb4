import type {
  AgentId,
  Attachment,
  BudgetName,
  Capability,
  Failure,
  FailureCode,
  PlanChecks,
  Recipe,
  Target,
  Warning,
} from '@attache/contracts';

/** What the planner needs to know of an attachment: recorded facts, never bytes. */
export type PlannableAttachment = Pick<
  Attachment,
  'id' | 'name' | 'mimeType' | 'kind' | 'sizeBytes' | 'status' | 'failure' | 'facts'
>;

export type PlanRequestInput = {
  agentId: AgentId;
  target: Target;
  capability: Capability;
  text: string;
  attachments: readonly PlannableAttachment[];
  conversions: 'allow' | 'deny';
  /** What a live runtime already holds of its own history. */
  resident: Partial<Record<BudgetName, number>>;
  /** An explicit, recorded override of what is not known of the model (DL-66). */
  isUnknownOverridden: boolean;
};

/** Why an attachment cannot be delivered: the first gate that does not let it through. */
export type Block = {
  gate: keyof PlanChecks;
  code: FailureCode;
  /** Says what is wrong and what to do. */
  userMessage: string;
  retryable?: boolean;
  safeDetails?: NonNullable<Failure['safeDetails']>;
};

/** What became of an attachment so far. Sizes are upper bounds, so that what is made of it later always fits. */
export type Draft = { attachment: PlannableAttachment; checks: PlanChecks; warnings: Warning[] } & (
  | { state: 'blocked'; block: Block }
  | { state: 'open' }
  | { state: 'planned'; becomes: 'native' | 'variant' | 'text'; recipe?: Recipe; lineBytes: number; pixels: number }
);

export type OpenDraft = Extract<Draft, { state: 'open' }>;
export type BlockedDraft = Extract<Draft, { state: 'blocked' }>;

/** The draft, stopped at a gate. */
export function blockDraft(draft: Draft, block: Block, check: 'no' | 'unknown' = 'no'): BlockedDraft {
  const { attachment, checks, warnings } = draft;
  return { attachment, warnings, state: 'blocked', block, checks: { ...checks, [block.gate]: check } };
}
