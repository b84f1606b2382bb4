import { hash, randomUUID } from 'node:crypto';
import type { Send, Take } from '../../__fixtures__/fake-lines.ts';
import { askEndlessly, die, doDeeds, floodOf, readDeeds } from '../../__fixtures__/misdeeds.ts';
import { runFake } from '../../__fixtures__/run-fake.ts';

type Block = { type: string; text?: string; source?: { type: string; data: string } };

/** The part of Claude Code's stream-json lines that the tests need. `--resume unknown` ends the program, as an unknown session does. */
await runFake(speakClaude);

function speakClaude(send: Send, flags: readonly string[]): Take {
  const resumed = flags[flags.indexOf('--resume') + 1];
  if (flags.includes('--resume') && resumed === 'unknown') {
    process.stderr.write('No conversation found with session ID: unknown\n');
    process.exit(1);
  }
  const sessionId = flags.includes('--resume') ? resumed : randomUUID();
  const answers = new Map<string, (answer: Record<string, unknown>) => void>();
  let interrupt = () => {};

  const say = (text: string) =>
    send({
      type: 'assistant',
      session_id: sessionId,
      message: { id: randomUUID(), content: [{ type: 'text', text }] },
    });
  const result = (rest: object) =>
    send({
      type: 'result',
      subtype: 'success',
      is_error: false,
      session_id: sessionId,
      usage: { input_tokens: 1, output_tokens: 2 },
      ...rest,
    });

  function requestOf(requestId: string): object {
    const input = { tool_name: 'Bash', tool_input: { command: 'true' }, tool_use_id: 'ask' };
    const request = { subtype: 'hook_callback', callback_id: 'gate', input };
    return { type: 'control_request', request_id: requestId, request };
  }

  async function ask(): Promise<string> {
    const requestId = randomUUID();
    const answered = new Promise<Record<string, unknown>>((resolve) => answers.set(requestId, resolve));
    send(requestOf(requestId));
    const { hookSpecificOutput } = (await answered) as { hookSpecificOutput?: { permissionDecision?: string } };
    return hookSpecificOutput?.permissionDecision === 'allow' ? 'yes' : 'no';
  }

  async function takeTurn(content: Block[]): Promise<void> {
    const deeds = readDeeds(content.map(({ text }) => text ?? '').join('\n'));
    send({ type: 'system', subtype: 'init', session_id: sessionId });
    let isInterrupted = false;
    const interrupted = new Promise<void>((resolve) => {
      interrupt = () => {
        isInterrupted = true;
        resolve();
      };
    });
    await doDeeds(deeds, interrupted);
    if (deeds.has('ask-endlessly')) askEndlessly((round) => requestOf(`ask ${round}`));
    for (const piece of floodOf(deeds)) say(piece);
    const digests = content.flatMap(({ source }) =>
      source === undefined
        ? []
        : hash('sha256', Buffer.from(source.data, source.type === 'base64' ? 'base64' : 'utf8')),
    );
    say(`I received ${digests.join(' ')}.`);
    if (deeds.has('crash')) die();
    if (deeds.has('ask-permission')) say(`I asked for permission: ${await ask()}.`);
    if (deeds.has('env-keys')) say(`My environment: ${Object.keys(process.env).sort().join(' ')}.`);
    if (deeds.has('sign-in')) return result({ is_error: true, api_error_status: 401, result: 'Not signed in.' });
    result(isInterrupted ? { subtype: 'error_during_execution', is_error: true } : {});
    if (!deeds.has('answer-twice')) return;
    result({});
    void ask();
  }

  return async (message) => {
    const { type, request_id: requestId } = message;
    if (type === 'user') return takeTurn((message.message as { content: Block[] }).content);
    if (type === 'control_response') {
      const { request_id: id, response } = message.response as {
        request_id: string;
        response: Record<string, unknown>;
      };
      return answers.get(id)?.(response ?? {});
    }
    const { subtype } = message.request as { subtype: string };
    if (subtype === 'interrupt') interrupt();
    send({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response: {} } });
  };
}
