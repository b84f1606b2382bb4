import type { AgentEndpoint } from '@attache/agent-process';
import type { FailureCode } from '@attache/contracts';

/** How a program is tried with a stub in the place of its model. */
export type ProgramTrial = {
  api: AgentEndpoint['api'];
  provider: string;
  model: string;
  /** A model of the catalog, if that one is none. */
  listed?: Pick<ProgramTrial, 'api' | 'provider' | 'model'>;
  /** The program's own shell tool, as the model calls it. */
  shell(command: string): ModelToolCall;
  /** The same as the program takes it by default: where a shell can be asked to leave its sandbox, it is not. */
  bareShell(command: string): ModelToolCall;
  /** Its tools besides the shell. */
  ownTools: OwnTools;
  /** A tool besides the shell that reads a file; absent if there is none. */
  readFile?(path: string): ModelToolCall;
  /** The model's name for a tool of Attaché's MCP server. */
  nameOwnTool(name: string): string;
  /** A message that the program would run as a command of its own, were it not kept from that. */
  ownCommand?: string;
  /** Errands that the relay refuses without harm, by its code: they would show the conversation to another model. */
  refusedErrands?: Readonly<Record<string, string>>;
  /** Requests to its model API that its own tools make in the trials and the relay refuses, by the relay's code. */
  refusedOfTools?: Readonly<Record<string, string>>;
  /** The failure code for its provider's refusals, by their status. */
  refusals: Readonly<Record<number, FailureCode>>;
  /**
   * The fate of a picture that its provider refused: it goes out again with every turn, it is gone from the conversation, or it is taken out and the turn
   * continues without it.
   */
  refusedPicture: 'resent' | 'gone' | 'taken-out';
};

/** The codes for a provider's refusals, by their status: however the program reports it, the relay has seen it. */
export const refusalsByStatus: ProgramTrial['refusals'] = {
  400: 'attachment_provider_rejected',
  401: 'delivery_agent_auth_required',
  413: 'attachment_serialized_payload_too_large',
  // With a wait of a second.
  429: 'attachment_provider_rate_limited',
  529: 'delivery_runtime_transport_failed',
};

/** A call of a tool as a model makes it. */
export type ModelToolCall = { name: string; input: unknown };

/** The place of a tool trial: nothing may be read out of it, and nothing may be created in it. */
export type TrialPlace = { folder: string; textFile: string; pictureFile: string };

/** A program's own tools, as its model would call them. */
export type OwnTools = (place: TrialPlace) => ModelToolCall[];

/** One call of a tool for each input. */
export const callsOf = (name: string, ...inputs: unknown[]): ModelToolCall[] =>
  inputs.map((input) => ({ name, input }));

/** A patch in the format of `apply_patch` that makes a file. */
export const patchIn = (folder: string): string =>
  `*** Begin Patch\n*** Add File: ${folder}/made-by-patch\n+hi\n*** End Patch`;
