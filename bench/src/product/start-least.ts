import type { LeastConfig } from '../../floors/steps/least-steps.ts';
import { startFloorProgram } from '../processes/programs.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';

/** The least that would be durable at all: clients of two programs, with a connection each. */
export type Least = {
  /** Clients of `least-upload.ts`. */
  uploads: readonly HttpClient[];
  /** Clients of `least-delivery.ts`. */
  deliveries: readonly HttpClient[];
};

const ADDRESS = /^(http:\S+)$/;

export async function startLeast(config: LeastConfig, clientCount: number): Promise<Least & AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const connect = async (name: string) => {
    const program = await startFloorProgram(name, JSON.stringify(config), ADDRESS);
    stack.defer(() => program.stop());
    const clients = Array.from({ length: clientCount }, () => createHttpClient(program.said));
    for (const client of clients) stack.defer(() => client.close());
    return clients;
  };
  try {
    const uploads = await connect('least-upload.ts');
    const deliveries = await connect('least-delivery.ts');
    return { uploads, deliveries, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
