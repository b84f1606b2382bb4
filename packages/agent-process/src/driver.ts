import type {
  AgentId,
  ByteReference,
  DeclaredCapability,
  DeliveryId,
  Failure,
  Part,
  Runtime,
  TraceContext,
  TriState,
  Usage,
} from '@attache/contracts';
import type { EmbeddedBytes } from './frames/create-frame.ts';

/** One agent to start. Made by the gateway from a profile; `env` and `token` are secret and never logged. */
export type AgentSpec = {
  agentId: AgentId;
  /** A program's name or absolute path, then its fixed arguments. Never read by a shell. */
  command: readonly string[];
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Absolute path of the agent's own folder; `agentFolders` lists its content. Made here, 0700. */
  folder: string;
  /** A folder whose content a new agent's configuration begins with: a sign-in, settings. */
  home?: string | undefined;
  socketPath: string;
  token: string;
  provider: string;
  /** `default`: the program's own choice. */
  model: string;
  /** Abilities of the model, from the same sources as in plans; absent kinds are unknown. A program that has to list its model's kinds leaves out only a "no". */
  modelTakes: Readonly<Partial<Record<AttachmentKindName, TriState>>>;
  /** The model API that the program is to use instead of its own settings. */
  endpoint?: AgentEndpoint | undefined;
  /** Program and arguments of the MCP server by which the agent reaches its attachments. */
  mcpCommand?: readonly string[] | undefined;
  /** `deny`: its settings switch off all tools of the program's own. */
  permissionMode: 'gated' | 'deny';
  /** The resume reference of an earlier process of this agent, whose folder is still there. */
  resumeReference?: string | undefined;
  /** Files of that conversation, which are moved from `folder` to the same paths in the agent's own. */
  restored?: { folder: string; files: readonly string[] } | undefined;
  limits?: AgentLimits | undefined;
  /** Without it the program runs as the gateway's user and sees what that sees. */
  sandbox?: AgentSandbox | undefined;
  /** Only for a sandboxed agent: the unix socket that leads to its model API, which inside is a port of 127.0.0.1. */
  relaySocketPath?: string | undefined;
  /** Only for a sandboxed agent: the unix socket of its proxy to hosts that its profile allows. */
  egressSocketPath?: string | undefined;
  /** Maximum size of one line to the agent. */
  lineBytes: number;
  /** Maximum size of one line from the agent. */
  incomingLineBytes?: number | undefined;
  turnMs: number;
  /** From the spawn until the agent has a session. */
  startMs: number;
  /** From `childMarker`. */
  marker: string;
};

/** The sandbox around an agent. In a sandbox by bubblewrap the agent's folder has another path: see `specInside`. */
export type AgentSandbox = {
  /** The operator's own wrapper, with placeholders, in place of bubblewrap. What it keeps an agent from is the operator's to say. */
  command?: readonly string[] | undefined;
  /** Absolute paths that the agent may read besides its own folder. */
  readOnly: readonly string[];
  /** The platform's own folders: only the agent's part of them may be shown. */
  privateFolders: readonly string[];
};

export type AgentEndpoint = {
  api: 'anthropic' | 'openai-responses' | 'openai-chat' | 'google';
  baseUrl: string;
  /** Secret; never written to a file that outlives the session. */
  apiKey?: string | undefined;
  /** Variables for a program of which nothing else says how it is given an endpoint, with placeholders for it. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Tools that the model API runs itself and that may be used. */
  serverTools?: readonly string[] | undefined;
};

export type AttachmentKindName = 'image' | 'pdf' | 'text' | 'audio' | 'video';

/** Bounds of one child with all that it starts. */
export type AgentLimits = {
  memoryBytes?: number | undefined;
  /** Processor time of each of its processes. */
  cpuSeconds?: number | undefined;
  /** The bytes that it may write in one turn. */
  outputBytes?: number | undefined;
  /** The disk space that its folder may use. */
  folderBytes?: number | undefined;
  /** Counted in a sandbox alone. */
  processes?: number | undefined;
};

/** The bytes behind a delivery's parts, checksum verified. Large ones are files in the agent's folder. */
export type DeliveryContents = {
  embedded(reference: ByteReference): EmbeddedBytes;
  /** Only for bytes that are UTF-8. */
  text(reference: ByteReference): string;
};

export type ToolDecision = { decision: 'allow' } | { decision: 'deny'; reason: string };
export type ToolCall = {
  callId: string;
  tool: string;
  title: string;
  input: unknown;
  /** Whether its arguments are not in `input`, or not all of them: nobody can judge it. */
  isUnseen?: boolean;
  /** Set if the call is for Attaché's own MCP server and the program says so beyond doubt. */
  isAttache?: boolean;
};
export type ToolResult = { callId: string; tool: string; content: unknown };

/** One finished item of an agent's output. Text may still hold media in base64; `media` holds bytes already decoded. */
export type DriverOutput =
  | { type: 'text'; text: string }
  | { type: 'thought'; text: string }
  | { type: 'tool-call'; callId: string; tool: string; title: string; status: string; text?: string }
  | { type: 'media'; mimeType: string; bytes: Buffer; callId?: string }
  | { type: 'usage'; usage: Usage };

export type OutputDeltaPiece = { type: 'text' | 'thought'; text: string };

/** The calls of a driver to its gateway. */
export interface DriverHooks {
  /** Called in order and awaited, so that a slow receiver slows the agent down. What could not be kept may be thrown by a later call. */
  onOutput(item: DriverOutput): Promise<void>;
  onDelta(delta: OutputDeltaPiece): void;
  /** A throw counts as a denial. */
  onToolCall(call: ToolCall): Promise<ToolDecision>;
  /** Returns what may be recorded in place of `content`. */
  onToolResult(result: ToolResult): Promise<unknown>;
}

export type DeliverRequest = {
  deliveryId: DeliveryId;
  parts: readonly Part[];
  contents: DeliveryContents;
  trace?: TraceContext | undefined;
  /**
   * Awaited right before the first byte, and again where a turn that was to be entered was over and the delivery gets one of its own. A throw
   * leaves the agent untouched and is passed on.
   */
  onWriting(): Promise<void>;
  /**
   * Called after the operating system accepted the last byte, and before any output that follows from it. The turn's end does not wait for its answer;
   * a throw ends the turn and is passed on.
   */
  onWritten(): Promise<void>;
  /** The turn that it has begun or entered can be entered from now on. Told only by runtimes that can be steered, and not before the write. */
  onSteerable?: (() => void) | undefined;
  /** Before the first byte it cancels the delivery, later it interrupts the turn. */
  signal?: AbortSignal | undefined;
};

export type TurnOutcome =
  | {
      status: 'responded';
      stopReason: string;
      proof: string;
      usage?: Usage;
      /** The runtime reported that it took a picture or document out, because its provider refused it. */
      removedMedia?: boolean;
    }
  | {
      status: 'failed';
      failure: Failure;
      /** The runtime has taken the turn out of its conversation again: nothing of it is sent to the model any more. */
      isForgotten?: boolean;
    };

export type AgentExit = {
  exitCode: number | null;
  signal: string | null;
  /** Last lines of standard error, redacted. */
  diagnostic: string;
  /** Why it could not run: no sandbox works here any more. */
  sandboxFault?: string | undefined;
};

export interface RunningAgent {
  readonly declared: DeclaredCapability;
  readonly programVersion?: string;
  /** The resume reference, by which a later process of the runtime continues this conversation. */
  readonly resumeReference: string | undefined;
  /** Whether this process went on with an earlier conversation. */
  readonly isResumed: boolean;
  /** Whether it takes turns; false once it broke its protocol, ended, or is being stopped. */
  readonly isOpen: boolean;
  /** Whether a delivery may enter the turn that runs. */
  readonly isSteerable: boolean;
  /** One turn. At most one at a time; where the agent is steerable, what comes meanwhile enters it and ends with it. */
  deliver(request: DeliverRequest): Promise<TurnOutcome>;
  /** Asks the running turn to end; it then ends as `responded` with the agent's own stop reason. */
  interrupt(): Promise<void>;
  /**
   * Copies a database of SQLite in the agent's folder, by a process inside the same sandbox. Returns the path of the copy; both are relative to the folder.
   * Undefined if that cannot be done.
   */
  copyDatabase(path: string): Promise<string | undefined>;
  /** SIGTERM to the agent's process group, after `graceMs` SIGKILL. */
  stop(options: { graceMs: number }): Promise<void>;
  readonly exited: Promise<AgentExit>;
}

export type StartOutcome = { status: 'started'; agent: RunningAgent } | { status: 'failed'; failure: Failure };

export type DriverTraits = {
  /** Bytes are handed over as paths of managed files, however small they are. */
  takesFiles: boolean;
  /** Its programs differ, and each says itself at its start what it carries. */
  isSelfDescribing: boolean;
};

/** The code that speaks one runtime's protocol. */
export interface AgentDriver {
  readonly runtime: Runtime;
  readonly traits: DriverTraits;
  start(spec: AgentSpec, hooks: DriverHooks): Promise<StartOutcome>;
}
