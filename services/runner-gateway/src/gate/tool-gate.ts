import type { ToolCall, ToolDecision } from '@attache/agent-process';
import { type Actor, type EventData, idFromUuid } from '@attache/contracts';
import type { NewEvent } from '@attache/database';
import { withSpan } from '@attache/telemetry';
import type { OwningDeps } from '../gateway-deps.ts';
import type { CheckCall } from '../granted/socket-owner.ts';
import type { OutputSink } from '../output/output-sink.ts';
import { checkToolCall } from './check-tool-call.ts';

const MAX_OPEN_CALLS = 256;
const MAX_LABEL_LENGTH = 200;
const ARGUMENTS_UNSEEN =
  'The program asked about this call without all of its arguments, so that nobody could check them.';
const OWN_TOOLS_DENIED = 'the profile of this agent allows it no tools but those of Attaché';

/** Decides about an agent's tool calls and records its decisions. */
export type ToolGate = {
  /** Decides about calls that the agent's program asks its host about. */
  decide(call: ToolCall): Promise<ToolDecision>;
  /** Decides about calls to the agent's own MCP server. */
  check: CheckCall;
  /** The tool of a call that was let pass, once. */
  takeCalled(callId: string): string | undefined;
};

type Deps = Pick<OwningDeps, 'db' | 'log' | 'ownership'>;

/** `allowsOwnTools`: whether the profile lets the program's own tools run at all. */
export function createToolGate(deps: Deps, sink: OutputSink, allowsOwnTools: boolean): ToolGate {
  const agentId = idFromUuid('agent', sink.agentId);
  const called = new Map<string, string>();

  const judge = ({ tool, input }: Omit<ToolCall, 'title'>): Promise<ToolDecision> => {
    const parent = sink.currentTurn()?.trace ?? 'root';
    return withSpan(
      { name: 'attachment.authorize', parent, attributes: { 'gen_ai.tool.name': tool } },
      async (span) => {
        const decision = await checkToolCall(deps, sink.session, sink.agentId, input);
        span.setAttribute('attache.decision', decision.decision);
        return decision;
      },
    );
  };
  const decideOn = async (call: ToolCall): Promise<ToolDecision> => {
    // Its server asks `check` with the arguments themselves, and can tell the model the reason.
    if (call.isAttache) return { decision: 'allow' };
    if (!allowsOwnTools) return { decision: 'deny', reason: OWN_TOOLS_DENIED };
    return call.isUnseen ? { decision: 'deny', reason: ARGUMENTS_UNSEEN } : await judge(call);
  };
  const record = (event: NewEvent) => deps.ownership.write(sink.session, sink.agentId, { events: [event] });
  const actor: Actor = { type: 'agent', id: agentId };
  const labelsOf = ({ callId, tool }: Omit<ToolCall, 'title'>): EventData<'tool.called'> => ({
    agentId,
    callId: callId.slice(0, MAX_LABEL_LENGTH),
    tool: tool.slice(0, MAX_LABEL_LENGTH),
  });
  const recordBlocked = (call: Omit<ToolCall, 'title'>, reason: string) =>
    record({ kind: 'tool.blocked', actor, data: { ...labelsOf(call), reason } });

  return {
    async decide(call) {
      const decision = await decideOn(call);
      if (decision.decision === 'deny') {
        await recordBlocked(call, decision.reason);
        return decision;
      }
      // Some programs ask twice about one call.
      if (called.has(call.callId)) return decision;
      called.set(call.callId, call.tool);
      const [oldest] = called.keys();
      if (oldest !== undefined && called.size > MAX_OPEN_CALLS) called.delete(oldest);
      await record({ kind: 'tool.called', actor, data: labelsOf(call) });
      return decision;
    },
    async check(call) {
      const decision = await judge(call);
      if (decision.decision === 'deny') await recordBlocked(call, decision.reason);
      return decision;
    },
    takeCalled(callId) {
      const tool = called.get(callId);
      called.delete(callId);
      return tool;
    },
  };
}
