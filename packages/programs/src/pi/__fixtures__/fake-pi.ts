import { hash, randomUUID } from 'node:crypto';
import type { Send, Take } from '../../__fixtures__/fake-lines.ts';
import { askEndlessly, die, doDeeds, floodOf, readDeeds } from '../../__fixtures__/misdeeds.ts';
import { runFake } from '../../__fixtures__/run-fake.ts';
import { GATE_ALLOWS, GATE_COMMAND, GATE_TITLE } from '../extension/gate-dialog.ts';

type Image = { data: string };

await runFake(speakPi);

/**
 * The part of pi's RPC mode that the tests need, as with our extension in it, unless `bare` is given. `--session unknown` ends the program, as an unknown
 * session does.
 */
function speakPi(send: Send, flags: readonly string[]): Take {
  const resumed = flags.includes('--session') ? flags[flags.indexOf('--session') + 1] : undefined;
  if (resumed === 'unknown') {
    process.stderr.write('No session found matching unknown\n');
    process.exit(1);
  }
  const sessionId = resumed ?? randomUUID();
  const answers = new Map<unknown, (answer: Record<string, unknown>) => void>();
  let interrupt = () => {};

  const end = (rest: object) =>
    send({ type: 'message_end', message: { role: 'assistant', content: [], usage: { input: 1, output: 2 }, ...rest } });
  const say = (text: string) => end({ content: [{ type: 'text', text }], stopReason: 'toolUse' });
  const settle = () => send({ type: 'agent_settled' });

  function questionOf(id: string): object {
    const placeholder = JSON.stringify({ callId: 'ask', tool: 'bash', input: { command: 'true' } });
    return { type: 'extension_ui_request', id, method: 'input', title: GATE_TITLE, placeholder };
  }

  async function ask(): Promise<string> {
    const id = randomUUID();
    const answered = new Promise<Record<string, unknown>>((resolve) => answers.set(id, resolve));
    send(questionOf(id));
    return (await answered).value === GATE_ALLOWS ? 'yes' : 'no';
  }

  async function run(message: string, images: readonly Image[]): Promise<void> {
    const deeds = readDeeds(message);
    send({ type: 'message_end', message: { role: 'user', content: [{ type: 'text', text: message }, ...images] } });
    let isInterrupted = false;
    const interrupted = new Promise<void>((resolve) => {
      interrupt = () => {
        isInterrupted = true;
        resolve();
      };
    });
    await doDeeds(deeds, interrupted);
    if (deeds.has('ask-endlessly')) askEndlessly((round) => questionOf(`ask ${round}`));
    for (const piece of floodOf(deeds)) say(piece);
    say(`I received ${images.map(({ data }) => hash('sha256', Buffer.from(data, 'base64'))).join(' ')}.`);
    if (deeds.has('crash')) die();
    if (deeds.has('ask-permission')) say(`I asked for permission: ${await ask()}.`);
    if (deeds.has('env-keys')) say(`My environment: ${Object.keys(process.env).sort().join(' ')}.`);
    if (deeds.has('sign-in')) end({ stopReason: 'error', errorMessage: '401: {"error":"Not signed in."}' });
    else end({ stopReason: isInterrupted ? 'aborted' : 'stop' });
    settle();
    if (!deeds.has('answer-twice')) return;
    settle();
    void ask();
  }

  const answer = (command: Record<string, unknown>, data?: object) =>
    send({ type: 'response', command: command.type, id: command.id, success: true, data });

  return async (command) => {
    switch (command.type) {
      case 'get_commands':
        return answer(command, {
          commands: flags.includes('bare') ? [] : [{ name: GATE_COMMAND, source: 'extension' }],
        });
      case 'get_state':
        return answer(command, { sessionId });
      case 'extension_ui_response':
        return answers.get(command.id)?.(command);
      case 'abort':
        interrupt();
        return answer(command);
      default:
        answer(command);
        return run(String(command.message), (command.images ?? []) as Image[]);
    }
  };
}
