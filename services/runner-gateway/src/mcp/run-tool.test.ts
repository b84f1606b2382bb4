import { createLogger } from '@attache/telemetry';
import { describe, expect, it } from 'vitest';
import type { CheckCall } from '../granted/socket-owner.ts';
import type { AgentTool, ToolScope } from './agent-tool.ts';
import { runTool } from './run-tool.ts';
import { answerFacts } from './tool-answer.ts';
import { describeInput } from './tool-inputs.ts';

const log = createLogger({ service: 'test', level: 'silent', redact: (text) => text });

function open(checkCall?: CheckCall) {
  const ran: unknown[] = [];
  const tool: AgentTool = {
    ...{ name: 'probe', title: '', description: '', input: describeInput, isReadOnly: true },
    async run(_scope, input) {
      ran.push(input);
      return answerFacts({ done: true });
    },
  };
  const owner = { agentId: '01999999-0000-7000-8000-000000000000', ...(checkCall ? { checkCall } : {}) };
  const scope = { deps: { log }, owner, signal: new AbortController().signal } as unknown as ToolScope;
  const run = (input: unknown) => runTool(tool, scope, { callId: '7', input, traceparent: undefined });
  return { ran, run };
}

const input = { attachmentId: 'att_x' };

describe('a call of a tool', () => {
  it('is asked for with its arguments as they came, before anything is done', async () => {
    const asked: unknown[] = [];
    const { run, ran } = open(async (call) => {
      asked.push(call);
      return { decision: 'allow' };
    });
    expect(await run(input)).toEqual({ content: [{ type: 'text', text: '{"done":true}' }] });
    await run({ unknown: 1 });
    expect(asked).toEqual([
      { callId: '7', tool: 'probe', input },
      { callId: '7', tool: 'probe', input: { unknown: 1 } },
    ]);
    expect(ran).toEqual([input]);
  });

  it('that is denied, or cannot be checked, does nothing and is answered with the reason', async () => {
    const denied = open(async () => ({ decision: 'deny', reason: 'It names a foreign file.' }));
    expect(await denied.run(input)).toMatchObject({
      isError: true,
      structuredContent: { code: 'FORBIDDEN', message: 'It names a foreign file.', retryable: false },
    });
    const broken = open(() => Promise.reject(new Error('down')));
    expect(await broken.run(input)).toMatchObject({ isError: true, structuredContent: { code: 'FORBIDDEN' } });
    expect([denied.ran, broken.ran]).toEqual([[], []]);
  });

  it.each([[undefined], [{}], [{ attachmentId: 5 }], [{ ...input, more: 1 }], ['text'], [[]]])(
    'with wrong arguments is answered with what is wrong: %j',
    async (wrong) => {
      const { run, ran } = open();
      expect(await run(wrong)).toMatchObject({ isError: true, structuredContent: { code: 'INVALID_REQUEST' } });
      expect(ran).toEqual([]);
    },
  );

  it('with endless wrong arguments is answered in few words', async () => {
    const wrong = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`argument${index}`, 1]));
    expect(JSON.stringify(await open().run(wrong)).length).toBeLessThan(2_000);
  });
});
