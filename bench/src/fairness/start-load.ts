import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { within } from '../report/sample.ts';
import type { Counts, LoadTarget } from './loads/load.ts';

export type LoadName =
  | 'asking-agent'
  | 'calling-agent'
  | 'costly-files'
  | 'large-messages'
  | 'long-messages'
  | 'many-streams'
  | 'small-reads'
  | 'talking-agent';

const WAIT_MS = 60_000;

/** Starts a load in a process of its own; resolves once it runs. It ends with this process. */
export async function startLoad(name: LoadName, target: LoadTarget): Promise<{ end(): Promise<Counts> } & Disposable> {
  const child = fork(fileURLToPath(new URL('./loads/main.ts', import.meta.url)), [name]);
  const hear = async () => {
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The load ${name} ended with ${code}.`);
    });
    ended.catch(() => {});
    const [message] = await within(WAIT_MS, `A word of ${name}`, Promise.race([once(child, 'message'), ended]));
    return message;
  };
  const kill = () => void child.kill('SIGKILL');
  try {
    child.send(target);
    await hear();
  } catch (error) {
    kill();
    throw error;
  }
  return {
    async end() {
      child.send('end');
      return (await hear()) as Counts;
    },
    [Symbol.dispose]: kill,
  };
}
