/**
 * The place at which an agent's own tool calls ask for permission, as a trial showed. Attaché's MCP server checks its own calls itself, whatever the runtime.
 */
export type GatePlace = {
  place: string;
  coversEveryCall: boolean;
  /** Calls that bypass the gate, or are special in it. */
  note: string;
  /** The commands and tools that were seen to run although they named another session's file; empty where none did, or none was tried. */
  runsAnyway: readonly string[];
  /** The means by which `deny` leaves the program no tool of its own, as a trial showed; absent if none is known. */
  denial?: string;
};

/** How programs of the Agent Client Protocol ask. */
export const PERMISSION_REQUEST = '`session/request_permission`';
