import type { SessionEvent } from '@attache/contracts';
import type { ModelToolCall } from '@attache/programs/program-trial';
import type { AgentsStack, InstalledRuntime } from './agents-stack.ts';
import type { ModelRequest } from './stub/model-request.ts';
import type { ModelReply } from './stub/model-stub.ts';
import type { Place } from './take-turn.ts';

/** A program that is driven: its stack, and the session whose agent carries what needs no other. */
export type Driven = { stack: AgentsStack; startedAt: number; place: Place };

/** The tests of one matter. `use` answers once they run. */
export type Suite = (runtime: InstalledRuntime, use: () => Driven) => void;

export async function eventsOf({ stack }: Driven, { session }: Place, kind: string): Promise<SessionEvent[]> {
  return (await stack.api.events(session.id)).filter((event) => event.kind === kind);
}

/** Lets the model answer so, and returns what it was asked. Errands to other models get an answer of their own. */
export function listen(
  { stack }: Driven,
  model: string,
  answer: () => ModelReply = () => ({ text: 'yes' }),
): ModelRequest[] {
  const asked: ModelRequest[] = [];
  stack.stub.script((request) => {
    if (request.model !== model) return { text: 'ok' };
    asked.push(request);
    return answer();
  });
  return asked;
}

/** Has the model call a tool once. Returns the requests that it gets: the second has the tool's result. */
export function callOnce(driven: Driven, model: string, call: ModelToolCall): ModelRequest[] {
  let isCalled = false;
  return listen(driven, model, () => {
    if (isCalled) return { text: 'done' };
    isCalled = true;
    return { toolCalls: [call] };
  });
}

/** Each attachment that a request carried, once. */
export function digestsOf(request: ModelRequest | undefined): string[] {
  return [...new Set(request?.attachments.map(({ sha256 }) => sha256))];
}
