import type { AgentEndpoint } from '@attache/agent-process';
import type { ProgramDriver } from '@attache/agent-process/create-driver';
import type { profileSchema, Runtime } from '@attache/contracts';
import type { TransportRow } from '@attache/domain';
import type { GatePlace } from './gate-place.ts';
import type { ProgramMemory } from './program-memory.ts';
import type { ProgramTrial } from './program-trial.ts';

/** All that is known of one program of agents. A module that holds one does no I/O: what does is loaded where it is needed. */
export type Program = {
  /** File name of its executable; undefined for programs that are known by their protocol alone. */
  name: string | undefined;
  runtime: Runtime;
  /** A profile of its runtime runs this program with any command, unless the command names another known program. */
  takesAnyCommand: boolean;
  /** The abilities of its ways to a model, including those that no driver of this release speaks. */
  rows: readonly TransportRow[];
  /** The providers whose models it is used with. */
  providers: readonly string[];
  gate: GatePlace;
  /** It was seen to ask for the list of our tools within a second of its start, before any prompt. */
  listsToolsAtStart: boolean;
  /** It comes with the product. */
  isBundled: boolean;
  /** The profile under which it is offered where it is bundled or on the search path. */
  profile?: WellKnownProfile;
  /** The version that it is tried with. */
  package?: ProgramPackage;
  /**
   * The hosts, each with a port, at which it signs in and calls its models, as its own sources name them; empty if it needs none. Its sandbox lets it reach
   * them if its profile has no endpoint. Undefined: nobody knows.
   */
  hosts?: readonly string[];
  /** Its requests to its model API outside of its turns. */
  errands: readonly ProgramErrand[];
  turnRequests: TurnRequests;
  /** Undefined: its processes continue nothing, or nobody knows from which files. */
  memory?: ProgramMemory;
  /** Characters of text that it takes in one turn, all blocks together; undefined where none too many were found. */
  maxTurnCharacters?: number;
  words: ProgramWords;
  loadDriver(): Promise<ProgramDriver>;
  /** The facts needed for a trial with a stub of its model's API. */
  loadTrial?(): Promise<ProgramTrial>;
};

/**
 * A request that a program makes for itself: a list of models, a count of tokens, a title. With `model` it goes to that one, also during a
 * turn; else to one that the agent may ask.
 */
export type ProgramErrand = { kind: 'models' | 'count-tokens' | 'generate'; model?: string };

/** The signs by which a request to the target's model is recognised as a turn's own, and not as an errand. */
export type TurnRequests = {
  /** Its turns offer tools, even if only Attaché's, and its errands do not. Without any tool, its turns cannot be distinguished from errands. */
  carryTools: boolean;
  /** The beginnings of those errands that offer the tools of its turns. */
  errandTexts: readonly string[];
};

/** The statements about it in docs/agents.md, in Markdown. */
export type ProgramWords = {
  /** Which model APIs it can be pointed at, how it gets their address, and how the model. Absent where there is no way. */
  endpoint?: { apis: readonly AgentEndpoint['api'][]; by: string; model: string };
  /** The evidence that a delivery was written, and that its turn ended; the same for all programs of its runtime. */
  proof?: { written: string; responded: string };
  /** The means by which a new process continues a conversation. */
  resumesBy: string;
  /** The part of a copied home that does not count under `deny`. */
  homeUnderDeny?: string;
};

type ProfileInput = (typeof profileSchema)['_input'];

export type WellKnownProfile = Pick<ProfileInput, 'command' | 'provider' | 'model'> & { name: string };

/** An npm package. `key` names the program in the cache folder and in docs/compatibility.md. */
export type ProgramPackage = { key: string; npmPackage: string; version: string; bin: string };
