import type {
  AgentId,
  Attachment,
  AttachmentId,
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
  /** Attachments that the target's model refused before in this session (BX-02). */
  quarantined?: ReadonlySet<AttachmentId> | undefined;
  /** What a live runtime already holds of its own history. */
  resident: Partial<Record<BudgetName, number>>;
  /** An explicit, recorded override of what is not known of the model (DL-66). */
  isUnknownOverridden: boolean;
};

/** Why a gate does not let an attachment through in a form. */
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
type Form = Exclude<PlanForm, 'blocked'>;

export type OpenDraft = Common & { state: 'open' };
/** `blocks`: one for each gate that does not let it through, in the order of the gates (DL-63). */
export type BlockedDraft = Common & { state: 'blocked'; blocks: readonly Block[] };
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

/** A way that is closed: the first gate that stops it, those behind it that would, too, and the checks up to there. */
export type Refusal = { block: Block; also?: readonly Block[]; at: OpenDraft };

/** What a way to deliver an attachment comes to: a form, or the gates that stop it. */
export type RouteOutcome = { draft: PlannedDraft | SharingDraft } | Refusal;

/** The gates in the order in which they are reported (DL-63). */
const gates = ['decode', 'budget', 'transport', 'model', 'prepare'] as const satisfies (keyof PlanChecks)[];

/** The blocks of one way in the order of the gates; what does not block is left out. */
export function orderBlocks(blocks: readonly (Block | undefined)[]): Block[] {
  return gates.flatMap((gate) => blocks.filter((block) => block?.gate === gate) as Block[]);
}

/** The draft, stopped at its gates. What a target has not said of itself stays unknown. */
export function blockDraft(
  { attachment, checks, warnings }: Draft,
  blocks: readonly Block[],
  check?: 'unknown',
): BlockedDraft {
  const answers = { ...checks };
  for (const { gate } of blocks) {
    const isUnknown = (gate === 'transport' || gate === 'model') && checks[gate] === 'unknown';
    answers[gate] = check ?? (isUnknown ? 'unknown' : 'no');
  }
  return { attachment, warnings, state: 'blocked', blocks, checks: answers };
}
