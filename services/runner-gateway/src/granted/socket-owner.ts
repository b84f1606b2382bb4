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
  /** What it takes of images in what a tool answers, under the tenant's word on it; undefined where it takes none. */
  imagesUnder(override: TenantOverride | undefined): KindCapability | undefined;
};

/** The one agent that a socket is for. */
export type SocketOwner = {
  session: SessionKey;
  /** Uuid. */
  agentId: string;
  token: string;
  folder: string;
  /** By which the agent knows its folder, where that is another path. */
  shownFolder?: string;
  /** What tools may show it of images; none without it. */
  shown?: ShownTarget;
  /** Whether its program's own tools may run; not without it. */
  hasOwnTools?: boolean;
  /** Every call passes where there is none. */
  checkCall?: CheckCall;
  /** Called when the agent's program has got the list of its tools. */
  noteToolsListed?: () => void;
  /** Called with verified bytes that the agent got, for the receipts of its turn. */
  noteHandedOut?: (attachment: Pick<Attachment, 'id' | 'sha256'>, bytes: HandedBytes) => void;
};
