import type { DriverHooks, ToolCall, ToolDecision } from '@attache/agent-process';
import { describe, expect, it } from 'vitest';
import { answerPermission } from './answer-permission.ts';

const never = new Promise<never>(() => undefined);
const toolCall = { toolCallId: 't', title: 'Run', kind: 'execute', rawInput: { command: 'id' } };
const earlier = { title: 'Run id', content: [{ type: 'content', content: { type: 'text', text: 'id' } }] };
const program = {
  findCall: () => ({ forms: [earlier], rawInput: undefined, isIncomplete: false }),
  isAboutAttache: () => false,
};
const options = [
  { optionId: 'always', kind: 'allow_always' },
  { optionId: 'yes', kind: 'allow_once' },
  { optionId: 'no', kind: 'reject_once' },
];

async function ask(decide: (call: ToolCall) => Promise<ToolDecision>, params: unknown = { toolCall, options }) {
  const hooks = { onToolCall: decide } as DriverHooks;
  const { outcome } = await answerPermission(params, hooks, never, program);
  return outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
}

const allow = async (): Promise<ToolDecision> => ({ decision: 'allow' });
const deny = async (): Promise<ToolDecision> => ({ decision: 'deny', reason: 'no' });

describe('a request for permission', () => {
  it('is put to the gateway with all that is told of the call, before and now [AT-30]', async () => {
    const asked: ToolCall[] = [];
    await ask(async (call) => {
      asked.push(call);
      return await deny();
    });
    const input = { rawInput: { command: 'id' }, title: 'Run', earlier: [earlier] };
    expect(asked).toEqual([{ callId: 't', tool: 'execute', title: 'Run', input, isAttache: false, isUnseen: false }]);
  });

  it('is allowed for this one call only', async () => {
    expect(await ask(allow)).toBe('yes');
    expect(await ask(allow, { toolCall, options: options.slice(0, 1) })).toBe('cancelled');
  });

  it('is denied on a no, on a throw and in any doubt [AT-31 BX-21]', async () => {
    expect(await ask(deny)).toBe('no');
    expect(await ask(() => Promise.reject(new Error('database away')))).toBe('no');
    for (const params of [null, {}, { toolCall, options: 3 }, { options: [{ kind: 'reject_once' }] }]) {
      expect(await ask(deny, params)).toBe('cancelled');
    }
  });

  it('is cancelled with its turn', async () => {
    const hooks = { onToolCall: () => never } as unknown as DriverHooks;
    const answer = await answerPermission({ toolCall, options }, hooks, Promise.resolve('interrupted'), program);
    expect(answer).toEqual({ outcome: { outcome: 'cancelled' } });
  });
});
