import type { Program } from '../program.ts';

/** Facts about a request without its texts. */
export type RequestTraits = {
  hasTools: boolean;
  /** It asks for an answer of a given form; no program does that for the model's text to a user. */
  hasAnswerForm: boolean;
  /** It begins as one of the program's errands does. */
  hasErrandText: boolean;
};

/**
 * Whether a request to the target's model is a turn's own. Where nothing is known of a program, it is taken for one that offers its tools: what
 * has none shows nothing.
 */
export function isTurnRequest(program: Pick<Program, 'turnRequests'> | undefined, request: RequestTraits): boolean {
  const carriesTools = program?.turnRequests.carryTools ?? true;
  return !request.hasErrandText && !request.hasAnswerForm && (request.hasTools || !carriesTools);
}
