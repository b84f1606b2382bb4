import { Agent, request as requestHttp } from 'node:http';
import { startFloorProgram } from '../processes/programs.ts';

export type Answer = {
  /** From the start of the request until the first byte of the answer's body, and until its last one. */
  firstByteMs: number;
  wholeMs: number;
  sizeBytes: number;
};

/** A way to the model API. */
export type Way = {
  pid: number;
  /** Sends a body and reads the answer, as the agent of this number; throws if it is none of the API. */
  ask(body: Buffer, events: number, agentNumber?: number): Promise<Answer>;
  /** The same, with an answer that begins and does not end. Resolves at its first byte with what ends it. */
  hold(body: Buffer, agentNumber: number): Promise<() => void>;
};

/** `quarantined`: through the relay, of an agent whose model has refused a picture. */
export type Ways = AsyncDisposable & { relay: Way; quarantined: Way; passThrough: Way; apiPid: number };

type Access = { baseUrl: string; token: string };

/** A model API, and a relay and a bare pass-through in front of it, each in a process of its own. */
export async function startWays(): Promise<Ways> {
  await using stack = new AsyncDisposableStack();
  const start = async (name: string, argument: string, ready: RegExp) => {
    const program = await startFloorProgram(name, argument, ready);
    stack.defer(() => program.stop());
    return program;
  };
  const api = await start('model-api.ts', '', /^(http:\S+)$/);
  const bare = await start('pass-through.ts', api.said, /^(http:\S+)$/);
  const relay = await start('../src/relay/relay-process.ts', api.said, /^(\[.*\])$/);
  const pool = new Agent({ keepAlive: true });
  stack.defer(() => pool.destroy());
  const agents: Access[] = JSON.parse(relay.said);
  const ways = {
    relay: createWay(pool, relay.pid, agents.slice(0, 2)),
    quarantined: createWay(pool, relay.pid, agents.slice(2)),
    passThrough: createWay(pool, bare.pid, [{ baseUrl: bare.said, token: 'any' }]),
  };
  const started = stack.move();
  return { ...ways, apiPid: api.pid, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

function createWay(agent: Agent, pid: number, agents: readonly Access[]): Way {
  const send = (body: Buffer, headers: Record<string, string>, agentNumber: number) => {
    const { baseUrl, token } = agents[agentNumber % agents.length] as Access;
    const own = { 'x-api-key': token, 'content-length': String(body.length), ...headers };
    const request = requestHttp(`${baseUrl}/v1/messages`, { method: 'POST', agent, headers: own });
    request.end(body);
    return request;
  };
  return {
    pid,
    ask: (body, events, agentNumber = 0) =>
      new Promise((resolve, reject) => {
        const startedAt = performance.now();
        const request = send(body, { 'x-events': String(events) }, agentNumber);
        let firstByteMs: number | undefined;
        let sizeBytes = 0;
        request.once('error', reject).once('response', (response) => {
          if (response.statusCode !== 200) reject(new Error(`A way answered ${response.statusCode}.`));
          response.on('data', (chunk: Buffer) => {
            firstByteMs ??= performance.now() - startedAt;
            sizeBytes += chunk.length;
          });
          response.once('error', reject);
          response.once('end', () =>
            resolve({ firstByteMs: firstByteMs ?? Number.NaN, wholeMs: performance.now() - startedAt, sizeBytes }),
          );
        });
      }),
    hold: (body, agentNumber) =>
      new Promise((resolve, reject) => {
        const request = send(body, {}, agentNumber);
        request.once('error', reject).once('response', (response) => {
          response.on('error', () => {});
          response.once('data', () => resolve(() => void response.destroy()));
        });
      }),
  };
}
