import type { Least } from '../product/start-least.ts';
import type { Result } from '../report/result.ts';
import { type Product, type Program, startBare, startLeastOnFiles, startProduct } from './start-programs.ts';

/** The parts that every measurement of the embedded stack has. */
export type EmbeddedBench = {
  product: Product;
  bare: Program;
  least: Least;
  /** How many rounds to take: fewer in a quick run. */
  counted(rounds: number): number;
  say(line: string): void;
};

export type EmbeddedMeasurement = {
  name: string;
  measure(bench: EmbeddedBench): Promise<Result[]>;
  /** Left out of a quick run, unless it is named. */
  isOnlyOfWholeRuns?: boolean;
};

export async function openEmbeddedBench(
  options: Pick<EmbeddedBench, 'counted' | 'say'>,
): Promise<EmbeddedBench & AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  try {
    const product = await startProduct();
    stack.defer(() => product.stop());
    const bare = await startBare();
    stack.defer(() => bare.stop());
    const least = stack.use(await startLeastOnFiles());
    return { ...options, product, bare, least, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
