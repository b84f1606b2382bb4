import type { Result } from '../report/result.ts';
import { type Backends, type StoreName, startBackends } from './start-backends.ts';
import { type Floors, startFloors } from './start-floors.ts';
import { type HostedProduct, startHostedProduct } from './start-product.ts';

/** The parts that every measurement of the hosted stack has. */
export type HostedBench = {
  product: HostedProduct;
  floors: Floors;
  backends: Backends;
  /** How many rounds to take: fewer in a quick run. */
  counted(rounds: number): number;
  say(line: string): void;
};

export type HostedMeasurement = { name: string; measure(bench: HostedBench): Promise<Result[]> };

/** Connections of the driver to each program. */
const CLIENT_COUNT = 16;

export async function openHostedBench(
  options: Pick<HostedBench, 'counted' | 'say'>,
  store: StoreName,
): Promise<HostedBench & AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  try {
    const backends = await startBackends(options.say, { store });
    stack.defer(() => backends.stop());
    const product = await startHostedProduct(backends, CLIENT_COUNT);
    stack.defer(() => product.stop());
    const floors = await startFloors(backends, CLIENT_COUNT);
    stack.defer(() => floors.stop());
    return { ...options, backends, product, floors, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
