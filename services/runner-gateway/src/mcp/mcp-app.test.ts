import { Readable } from 'node:stream';
import { idFromUuid } from '@attache/contracts';
import { scanLimits, TOOL_CALL_DENIED } from '@attache/domain';
import { createLogger } from '@attache/telemetry';
import { describe, expect, it } from 'vitest';
import { checkToolCall } from '../gate/check-tool-call.ts';
import type { OwningDeps } from '../gateway-deps.ts';
import type { CheckCall } from '../granted/socket-owner.ts';
import { createMcpApp } from './mcp-app.ts';
import type { ToolAnswer } from './tool-answer.ts';

const uuid = '01999999-0000-7000-8000-000000000000';
// Nothing has to be looked up for one whose last letter no id has.
const misspelt = `${idFromUuid('attachment', '01999999-0000-4000-8000-000000000000').slice(0, -1)}x`;
const log = createLogger({ service: 'test', level: 'silent', redact: (text) => text });
// No call here names what would be looked up.
const deps = { log, settings: { maxOutputBytes: 1_000 } } as OwningDeps;

/** The server of one agent, and the calls that it was asked about. */
function open() {
  const asked: Parameters<CheckCall>[0][] = [];
  const owner = {
    ...{ session: { tenantId: uuid, sessionId: uuid }, agentId: uuid, token: '', folder: '' },
    checkCall: (call: Parameters<CheckCall>[0]) => {
      asked.push(call);
      return checkToolCall(deps, owner.session, uuid, call.input);
    },
  };
  const app = createMcpApp(deps, owner);
  const answer = async (message: string) => {
    const body = Readable.from([Buffer.from(message)]);
    const response = await app.answer({ body, signal: new AbortController().signal });
    return (await response.json()) as { result?: ToolAnswer };
  };
  return { asked, answer };
}

const callWith = (input: string) =>
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"attachment_describe","arguments":{"x":${input}}}}`;
const nest = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;

describe('a call that is too deep', () => {
  it.each([
    ['by one value', scanLimits.maxDepth],
    ['by a few', scanLimits.maxDepth + 3],
    ['by so many that nothing may go through it by recursion', 100_000],
  ])('%s is denied as any other [AT-31]', async (_, depth) => {
    const { answer, asked } = open();
    const foreign = await answer(callWith(`"${misspelt}"`));
    expect(foreign.result?.structuredContent).toEqual({
      code: 'FORBIDDEN',
      message: TOOL_CALL_DENIED,
      retryable: false,
    });
    expect(await answer(callWith(nest(depth)))).toEqual(foreign);
    expect(asked.map(({ callId, tool }) => [callId, tool])).toEqual(Array(2).fill(['7', 'attachment_describe']));
  });

  it('is one that the gate finds too deep, and no other', async () => {
    const { answer } = open();
    const { result } = await answer(callWith(nest(scanLimits.maxDepth - 1)));
    expect(result?.structuredContent).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('does nothing wherever it is deep', async () => {
    const { answer } = open();
    const message = callWith('1').replace('{', `{"extra":${nest(100)},`);
    expect((await answer(message)).result?.structuredContent).toMatchObject({ message: TOOL_CALL_DENIED });
  });
});
