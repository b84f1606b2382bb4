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

/** The facts about an attachment that the planner needs: recorded facts, never bytes. */
export type PlannableAttachment = Pick<
  Attachment,
  'id' | 'name' | 'mimeType' | 'kind' | 'sizeBytes' | 'status' | 'failure' | 'facts'
> &
  Partial<Pick<Attachment, 'warnings'>>;

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
  /** The share of each budget that a live runtime's own history already uses; of its bytes also those of images. */
  resident: Partial<Record<BudgetName | 'imageBytes', number>>;
  /** Old images of that history are set aside where they leave no room (BX-33). */
  setsAside?: boolean | undefined;
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

/** The share of the message's room that a planned form takes. Sizes are upper bounds, so that the bytes made from it later always fit. */
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

/**
 * The room left for a message on its target. Infinite if no limit is known. Images and pages share the rest: `reservedBytes` is the least that they need, and
 * `comfortBytes` is what they would prefer.
 */
export type Room = {
  lineBytes: number;
  requestBytes: number;
  images: number;
  pages: number;
  reservedBytes: number;
  comfortBytes: number;
};

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

/** The state of an attachment in planning. */
export type Draft = OpenDraft | BlockedDraft | PlannedDraft | SharingDraft;

/** A way that is closed: the first gate that stops it, those behind it that would, too, and the checks up to there. */
export type Refusal = { block: Block; also?: readonly Block[]; at: OpenDraft };

/** The result of one way to deliver an attachment: a form, or the gates that block it. */
export type RouteOutcome = { draft: PlannedDraft | SharingDraft } | Refusal;

/** One way to deliver an attachment. A kind has several, tried in the order of preference (BX-19). */
export type Route = (draft: OpenDraft, room: Room, input: PlanRequestInput) => RouteOutcome;
