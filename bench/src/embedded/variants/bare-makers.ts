import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endChild } from '../../processes/programs.ts';

export type BareJob = { path: string; outputPath: string; maxEdgePixels: number; maxBytes: number };

/** Plain processes that make variants, with nothing around them. */
export type BareMakers = AsyncDisposable & {
  /** Makes all of them, one at a time in each process; answers their digests. */
  makeAll(jobs: readonly BareJob[]): Promise<string[]>;
};

const program = fileURLToPath(new URL('../../../floors/bare-variants.ts', import.meta.url));

export function startBareMakers(count: number): BareMakers {
  const children = Array.from({ length: count }, startChild);
  return {
    async makeAll(jobs) {
      const left = jobs.values();
      const digests = await Promise.all(children.map((child) => makeSome(child, left)));
      return digests.flat();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map(endChild));
    },
  };
}

function startChild(): ChildProcess {
  return fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

/** Takes the next of the jobs as long as there is one. */
async function makeSome(child: ChildProcess, left: Iterable<BareJob>): Promise<string[]> {
  const gone = new AbortController();
  const onExit = () => gone.abort(new Error('A bare process ended at its work.'));
  child.once('exit', onExit);
  const digests: string[] = [];
  for (const job of left) {
    const answer = once(child, 'message', { signal: gone.signal });
    child.send(job);
    digests.push(String((await answer)[0]));
  }
  child.off('exit', onExit);
  return digests;
}
