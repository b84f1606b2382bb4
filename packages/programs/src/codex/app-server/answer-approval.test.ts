import type { ToolCall, ToolDecision } from '@attache/agent-process';
import { createTurnKeeper } from '@attache/agent-process/turns/turn-state';
import { describe, expect, it } from 'vitest';
import { answerApproval } from './answer-approval.ts';

/** Asks the gateway, which decides so; what the gateway was asked, what Codex gets and what the model gets. */
async function ask(method: string, params: object, decision: ToolDecision | Error) {
  const calls: ToolCall[] = [];
  const told: string[] = [];
  const hooks = {
    onToolCall: async (call: ToolCall) => {
      calls.push(call);
      if (decision instanceof Error) throw decision;
      return decision;
    },
  } as never;
  const fold = {
    findItem: (id: string) => (id === 'known' ? { changes: [{ path: 'a.txt', diff: '+b' }] } : undefined),
  };
  const approver = { hooks, fold, turns: createTurnKeeper(), explain: (reason: string) => void told.push(reason) };
  const answer = await answerApproval(method, params as never, approver);
  return { answer, calls, told };
}

const allow: ToolDecision = { decision: 'allow' };
const deny: ToolDecision = { decision: 'deny', reason: 'because' };
const command = { itemId: 'i', command: 'rm -rf x', cwd: '/work' };

describe('what Codex asks its host', () => {
  it('about a command is put to the gateway whole, and a denial is told to the model [AT-31 BX-21]', async () => {
    const allowed = await ask('item/commandExecution/requestApproval', command, allow);
    expect(allowed).toMatchObject({ answer: { decision: 'accept' }, told: [] });
    expect(allowed.calls).toMatchObject([{ callId: 'i', tool: 'shell', input: { command: 'rm -rf x', cwd: '/work' } }]);
    const denied = await ask('item/commandExecution/requestApproval', command, deny);
    expect(denied).toMatchObject({ answer: { decision: 'decline' }, told: ['shell was not run: because'] });
  });

  it('is declined where the gateway fails to judge [AT-31]', async () => {
    const failed = await ask('item/commandExecution/requestApproval', command, new Error('database away'));
    expect(failed.answer).toEqual({ decision: 'decline' });
  });

  it('about a change of files is judged by the change; one that was never told is declined unasked', async () => {
    const known = await ask('item/fileChange/requestApproval', { itemId: 'known' }, allow);
    expect(known.answer).toEqual({ decision: 'accept' });
    expect(JSON.stringify(known.calls)).toContain('a.txt');
    const unknown = await ask('item/fileChange/requestApproval', { itemId: 'other' }, allow);
    expect(unknown).toMatchObject({ answer: { decision: 'decline' }, calls: [] });
  });

  it('about a tool of a server says whether that is Attaché’s; any other form is declined', async () => {
    const form = { serverName: 'attache', message: 'Run it?', _meta: { codex_approval_kind: 'mcp_tool_call' } };
    const own = await ask('mcpServer/elicitation/request', form, allow);
    expect(own).toMatchObject({ answer: { action: 'accept' }, calls: [{ isAttache: true }] });
    const other = await ask('mcpServer/elicitation/request', { ...form, serverName: 'mail' }, allow);
    expect(other.calls).toMatchObject([{ isAttache: false }]);
    const question = await ask(
      'mcpServer/elicitation/request',
      { serverName: 'attache', message: 'Your name?' },
      allow,
    );
    expect(question).toMatchObject({ answer: { action: 'decline' }, calls: [] });
  });

  it('is not offered beyond that', async () => {
    expect((await ask('item/tool/requestUserInput', {}, allow)).answer).toBeUndefined();
  });
});
