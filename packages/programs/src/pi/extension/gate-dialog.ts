/** The command by which a driver sees that the extension was loaded. */
export const GATE_COMMAND = 'attache-gate';

/** The title of the dialog by which the extension asks about a call; its text is the call as JSON. */
export const GATE_TITLE = 'attache-tool-call';

/** The answer that lets a call run. Any other one is the reason why it may not. */
export const GATE_ALLOWS = 'allow';

/** Names of Attaché's own tools begin so. */
export const OWN_TOOL_PREFIX = 'attache_';

/** A question of the extension to the gate. */
export type GateQuestion = { callId: string; tool: string; input: unknown };
