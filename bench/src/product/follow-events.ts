import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { within } from '../report/sample.ts';
import type { HttpClient } from './http-client.ts';

const WAIT_MS = 60_000;

/** Events as they become known: each name and id at most once. */
export type Followed = {
  /** When this happened to this id, on the clock of `performance.now()`; waits for it. Rejects if `failed` happens to it instead. */
  arrival(kind: string, id: string, failed?: string): Promise<number>;
  stop(): void;
};

type Arrival = { at: number; why: string | undefined };

type Report = (kind: string, id: string, why?: string) => void;

/** The events of a session of the product. */
export async function followEvents(client: HttpClient, sessionId: string): Promise<Followed> {
  const path = `/sessions/${sessionId}/events`;
  return follow(client, { path, headers: { accept: 'text/event-stream' } }, readServerSentEvents);
}

/** The lines `<id> <step>` of a session of a floor. */
export async function followSteps(client: HttpClient, sessionId: string): Promise<Followed> {
  return follow(client, { path: `/${sessionId}` }, async (lines, report) => {
    for await (const line of lines) {
      const [id = '', step = ''] = line.split(' ');
      report(step, id);
    }
  });
}

async function follow(
  client: HttpClient,
  request: { path: string; headers?: Record<string, string> },
  read: (lines: AsyncIterable<string>, report: Report) => Promise<void>,
): Promise<Followed> {
  const response: IncomingMessage = await client.open({ method: 'GET', ...request });
  if (response.statusCode !== 200) throw new Error(`The events answered ${response.statusCode}.`);
  const arrivals = new Map<string, PromiseWithResolvers<Arrival>>();
  const of = (key: string): PromiseWithResolvers<Arrival> => {
    const known = arrivals.get(key) ?? Promise.withResolvers<Arrival>();
    arrivals.set(key, known);
    return known;
  };
  const lines = createInterface({ input: response });
  // When the stream is cut, whoever still waits learns it by the time limit.
  const report: Report = (kind, id, why) => of(`${kind} ${id}`).resolve({ at: performance.now(), why });
  read(lines, report).catch(() => {});
  return {
    arrival(kind, id, failed) {
      const came = of(`${kind} ${id}`).promise.then(({ at }) => at);
      if (failed === undefined) return within(WAIT_MS, `${kind} of ${id}`, came);
      const hasFailed = of(`${failed} ${id}`).promise.then(({ why }) => {
        throw new Error(`${failed} instead of ${kind} for ${id}: ${why}.`);
      });
      return within(WAIT_MS, `${kind} of ${id}`, Promise.race([came, hasFailed]));
    },
    stop() {
      lines.close();
      response.destroy();
    },
  };
}

async function readServerSentEvents(lines: AsyncIterable<string>, report: Report): Promise<void> {
  let kind = '';
  for await (const line of lines) {
    if (line.startsWith('event: ')) kind = line.slice('event: '.length);
    else if (line.startsWith('data: ') && kind !== 'agent.delta') {
      const { data } = JSON.parse(line.slice('data: '.length));
      report(kind, data.deliveryId ?? data.attachmentId ?? '', data.failure && JSON.stringify(data.failure));
    }
  }
}
