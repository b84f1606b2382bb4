import type { AgentSpec } from '@attache/agent-process';
import type { JsonRecord } from '@attache/agent-process/messages/json-values';
import type { Troubles } from './troubles.ts';

/** Facts about a program of the protocol beyond its own declaration. */
export type AcpTraits = {
  authMethod: string | undefined;
  isLoadable: boolean;
  /** Whether images and sound must go as resources. */
  embedsMedia: boolean;
  /** Whether a file that its provider refused goes out again with every later turn of the conversation. */
  resendsRefusedFiles: boolean;
  /** A notification of its own that says what its updates leave out. */
  notices?: { method: string; read(params: unknown): Partial<Troubles> };
  /** Whether a request for permission is about a tool of Attaché's MCP server, on the program's own word and not its model's. */
  isAboutAttache(toolCall: JsonRecord, told: ToldOfCall): boolean;
  /** Metadata for opening its sessions, outside the protocol. */
  metaOf(spec: Pick<AgentSpec, 'permissionMode'>): JsonRecord | undefined;
};

/** Facts that a program reports about a call besides the call itself. */
export type ToldOfCall = {
  /** Metadata of the request. */
  meta: JsonRecord;
  /** The arguments from an update before the request. */
  earlier: JsonRecord;
};

/** A program that keeps to the protocol. */
export const plainTraits: AcpTraits = {
  authMethod: undefined,
  isLoadable: true,
  embedsMedia: false,
  resendsRefusedFiles: false,
  isAboutAttache: () => false,
  metaOf: () => undefined,
};
