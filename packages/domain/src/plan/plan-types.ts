import type {
  AgentId,
  Attachment,
  BudgetName,
  Capability,
  Failure,
  FailureCode,
  PlanChecks,
  PlanForm,
  PlanRecipe,
  PlanTarget,
  Warning,
} from '@attache/contracts';

/** What the planner needs to know of an attachment: recorded facts, never bytes. */
export type PlannableAttachment = Pick<
  Attachment,
  'id' | 'name' | 'mimeType' | 'kind' | 'sizeBytes' | 'status' | 'failure' | 'facts'
>;

export type PlanRequestInput = {
  /** Absent where a model API is planned for, and no agent. */
  agentId?: AgentId | undefined;
  target: PlanTarget;
  capability: Capability;
  text: string;
  attachments: readonly PlannableAttachment[];
  conversions: 'allow' | 'deny';
  /** What a live runtime already holds of its own history. */
  resident: Partial<Record<BudgetName, number>>;
  /** An explicit, recorded override of what is not known of the model (DL-66). */
  isUnknownOverridden: boolean;
};

/** Why an attachment cannot be delivered in a form: the first gate that does not let it through. */
export type Block = {
  gate: keyof PlanChecks;
  code: FailureCode;
  /** Says what is wrong and what to do. */
  userMessage: string;
  retryable?: boolean;
  safeDetails?: NonNullable<Failure['safeDetails']>;
};

/** What a planned form takes of the message's room. Sizes are upper bounds, so that what is made of it later always fits. */
export type Cost = {
  /** Serialised, in the line to the agent. */
  lineBytes: number;
  /** Serialised, in the model's request. */
  requestBytes: number;
  pixels: number;
  images: number;
  pages: number;
};

export const noCost: Cost = { lineBytes: 0, requestBytes: 0, pixels: 0, images: 0, pages: 0 };

type Common = { attachment: PlannableAttachment; checks: PlanChecks; warnings: Warning[] };
type Form = Exclude<PlanForm, 'blocked' | 'descriptor'>;

export type OpenDraft = Common & { state: 'open' };
export type BlockedDraft = Common & { state: 'blocked'; block: Block };
export type PlannedDraft = Common & {
  state: 'planned';
  becomes: Form;
  recipe?: PlanRecipe;
  reason: string;
  cost: Cost;
};
/** Images and pages share what is left once everything else has its room. */
export type SharingDraft = Common & { state: 'sharing'; as: 'image' | 'pages'; reason: string };

/** What became of an attachment so far. */
export type Draft = OpenDraft | BlockedDraft | PlannedDraft | SharingDraft;

/** What a way to deliver an attachment comes to: a form, or the gate that stops it, with the checks up to there. */
export type RouteOutcome = { draft: PlannedDraft | SharingDraft } | { block: Block; at: OpenDraft };

/** The draft, stopped at a gate. */
export function blockDraft(draft: Draft, block: Block, check: 'no' | 'unknown' = 'no'): BlockedDraft {
  const { attachment, checks, warnings } = draft;
  return { attachment, warnings, state: 'blocked', block, checks: { ...checks, [block.gate]: check } };
}
