import { hash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Send, Take } from '../../__fixtures__/fake-lines.ts';
import { askEndlessly, die, doDeeds, floodOf, readDeeds } from '../../__fixtures__/misdeeds.ts';
import { runFake } from '../../__fixtures__/run-fake.ts';

type Input = { type: string; text?: string; path?: string };
type Request = {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
};

const LATE_MS = 1_000;

/** The part of the protocol of `codex app-server` that the tests need. The thread `unknown` cannot be resumed. */
await runFake(speakCodex);

function speakCodex(send: Send): Take {
  const answers = new Map<unknown, (answer: Record<string, unknown>) => void>();
  let threadId = '';
  let turnId = '';
  let interrupt = () => {};
  let entered: Input[] = [];

  const tell = (method: string, params: object) => send({ method, params: { threadId, turnId, ...params } });
  const say = (text: string) => tell('item/completed', { item: { type: 'agentMessage', id: randomUUID(), text } });

  function requestOf(id: string): object {
    const params = { threadId, turnId, itemId: 'ask', command: 'true' };
    return { id, method: 'item/commandExecution/requestApproval', params };
  }

  async function ask(): Promise<string> {
    const id = randomUUID();
    const answered = new Promise<Record<string, unknown>>((resolve) => answers.set(id, resolve));
    send(requestOf(id));
    return (await answered).decision === 'accept' ? 'yes' : 'no';
  }

  async function takeTurn(input: readonly Input[]): Promise<void> {
    const deeds = readDeeds(input.map(({ text }) => text ?? '').join('\n'));
    let status = 'completed';
    const interrupted = new Promise<void>((resolve) => {
      interrupt = () => {
        status = 'interrupted';
        resolve();
      };
    });
    tell('turn/started', { turn: { id: turnId } });
    await doDeeds(deeds, interrupted);
    if (deeds.has('ask-endlessly')) askEndlessly((round) => requestOf(`ask ${round}`));
    for (const piece of floodOf(deeds)) say(piece);
    const digests = [...input, ...entered].flatMap(({ path }) =>
      path === undefined ? [] : hash('sha256', readFileSync(path)),
    );
    say(`I received ${digests.join(' ')}.`);
    if (deeds.has('crash')) die();
    if (deeds.has('ask-permission')) say(`I asked for permission: ${await ask()}.`);
    if (deeds.has('env-keys')) say(`My environment: ${Object.keys(process.env).sort().join(' ')}.`);
    const error = deeds.has('sign-in') ? { message: 'Not signed in.', codexErrorInfo: 'unauthorized' } : null;
    const turn = { id: turnId, status: error === null ? status : 'failed', error };
    turnId = '';
    tell('turn/completed', { turn });
    if (deeds.has('answer-twice')) tell('turn/completed', { turn });
  }

  return async (message) => {
    const { id, method, params = {}, result } = message as Request;
    if (method === undefined) return answers.get(id)?.(result ?? {});
    const answer = (given: object) => send({ id, result: given });
    const refuse = (text: string) => send({ id, error: { code: -32600, message: text } });
    const input = (params.input ?? []) as Input[];
    switch (method) {
      case 'initialize':
        return answer({ userAgent: 'fake/1.2.3 (codex)' });
      case 'thread/resume':
        if (params.threadId === 'unknown') return refuse('no such thread');
        threadId = String(params.threadId);
        return answer({ thread: { id: threadId } });
      case 'thread/start':
        threadId = randomUUID();
        return answer({ thread: { id: threadId } });
      case 'turn/start': {
        const isLate = readDeeds(input.map(({ text }) => text ?? '').join('\n')).has('begin-late');
        if (isLate) await new Promise((resolve) => setTimeout(resolve, LATE_MS));
        turnId = randomUUID();
        entered = [];
        answer({ turn: { id: turnId } });
        return takeTurn(input);
      }
      case 'turn/steer':
        if (turnId === '' || params.expectedTurnId !== turnId) return refuse('no active turn to steer');
        entered.push(...input);
        return answer({ turnId });
      case 'turn/interrupt':
        interrupt();
        return answer({});
      default:
        return;
    }
  };
}
