import type { AgentEndpoint } from '@attache/agent-process';

/** How a program is tried with a stub in the place of its model. */
export type ProgramTrial = {
  api: AgentEndpoint['api'];
  provider: string;
  model: string;
  /** What the model sees of the program's own shell. */
  shell(command: string): ModelToolCall;
  /** The same as the program takes it by default: where a shell can be asked to leave its sandbox, it is not. */
  bareShell(command: string): ModelToolCall;
  /** Its tools beside the shell. */
  ownTools: OwnTools;
  /** What the model sees of a tool of Attaché's MCP server. */
  nameOwnTool(name: string): string;
  /** Whether a later process goes on with the conversation. */
  isResumable: boolean;
};

/** A call of a tool as a model makes it. */
export type ModelToolCall = { name: string; input: unknown };

/** Where tools are tried: what may not come out of it, and what may not be made in it. */
export type TrialPlace = { folder: string; textFile: string; pictureFile: string };

/** A program's own tools, as its model would call them. */
export type OwnTools = (place: TrialPlace) => ModelToolCall[];

/** One call of a tool for each input. */
export const callsOf = (name: string, ...inputs: unknown[]): ModelToolCall[] =>
  inputs.map((input) => ({ name, input }));

/** A patch in the format of `apply_patch` that makes a file. */
export const patchIn = (folder: string): string =>
  `*** Begin Patch\n*** Add File: ${folder}/made-by-patch\n+hi\n*** End Patch`;
