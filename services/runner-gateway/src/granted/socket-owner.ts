import type { ToolCall, ToolDecision } from '@attache/agent-process';
import type { Attachment, KindCapability, TenantOverride } from '@attache/contracts';
import type { HandedBytes } from '../files/handed-out.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';

/** Asked before each call of a tool, with its arguments as they came. A throw counts as a denial. */
export type CheckCall = (call: Omit<ToolCall, 'title'>) => Promise<ToolDecision>;

/** An agent's target, as far as tools show it files. */
export type ShownTarget = {
  profile: string;
  model: string;
  /** The images that it takes in a tool's answer, under the tenant's override; undefined if it takes none. */
  imagesUnder(override: TenantOverride | undefined): KindCapability | undefined;
};

/** The one agent that a socket is for. */
export type SocketOwner = {
  session: SessionKey;
  /** Uuid. */
  agentId: string;
  token: string;
  folder: string;
  /** The path of that folder as the agent sees it, if it differs. */
  shownFolder?: string;
  /** The images that tools may show it; none without it. */
  shown?: ShownTarget;
  /** Whether its program's own tools may run; not without it. */
  hasOwnTools?: boolean;
  /** Every call passes if there is none. */
  checkCall?: CheckCall;
  /** Called when the agent's program has got the list of its tools. */
  noteToolsListed?: () => void;
  /** Called with verified bytes that the agent got, for the receipts of its turn. */
  noteHandedOut?: (attachment: Pick<Attachment, 'id' | 'sha256'>, bytes: HandedBytes) => void;
};
