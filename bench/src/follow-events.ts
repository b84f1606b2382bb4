import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { EventKind } from '@attache/contracts';
import type { HttpClient } from './http-client.ts';

/** The events of a session as they arrive. */
export type Followed = {
  /** When the event of this kind about this id arrived, on the clock of `performance.now()`; waits for it. */
  arrival(kind: EventKind, id: string): Promise<number>;
  stop(): void;
};

type Waiting = { arrived: Promise<number>; arrive: (at: number) => void };

export async function followEvents(client: HttpClient, sessionId: string): Promise<Followed> {
  const response = await client.open({
    method: 'GET',
    path: `/sessions/${sessionId}/events`,
    headers: { accept: 'text/event-stream' },
  });
  if (response.statusCode !== 200) throw new Error(`The events answered ${response.statusCode}.`);
  const arrivals = new Map<string, Waiting>();
  const waitingFor = (key: string): Waiting => {
    const known = arrivals.get(key);
    if (known) return known;
    const { promise, resolve } = Promise.withResolvers<number>();
    const waiting = { arrived: promise, arrive: resolve };
    arrivals.set(key, waiting);
    return waiting;
  };
  void readEvents(response, (kind, data) => {
    const id = data.deliveryId ?? data.attachmentId;
    waitingFor(`${kind} ${id}`).arrive(performance.now());
  });
  return {
    arrival: (kind, id) => waitingFor(`${kind} ${id}`).arrived,
    stop: () => response.destroy(),
  };
}

async function readEvents(
  response: IncomingMessage,
  onEvent: (kind: string, data: Record<string, unknown>) => void,
): Promise<void> {
  let kind = '';
  for await (const line of createInterface({ input: response })) {
    if (line.startsWith('event: ')) kind = line.slice('event: '.length);
    else if (line.startsWith('data: ') && kind !== 'agent.delta') onEvent(kind, JSON.parse(line.slice(6)).data);
  }
}
