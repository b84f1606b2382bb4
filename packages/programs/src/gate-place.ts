/** Where the calls of an agent's own tools are asked about, as it was seen. Attaché's MCP server checks its calls itself, whatever the runtime. */
export type GatePlace = {
  place: string;
  coversEveryCall: boolean;
  /** What passes it by, or is particular about it. */
  note: string;
  /** The commands and tools that were seen to run although they named another session's file; empty where none did, or none was tried. */
  runsAnyway: readonly string[];
  /** By what `deny` leaves the program no tool of its own, as it was tried; absent where nothing is known to. */
  denial?: string;
};

/** How programs of the Agent Client Protocol ask. */
export const PERMISSION_REQUEST = '`session/request_permission`';
