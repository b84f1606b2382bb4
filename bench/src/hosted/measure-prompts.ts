import { measureLargePrompt } from '../product/measure-large-prompt.ts';
import type { Result } from '../report/result.ts';
import type { HostedBench } from './bench.ts';

/** The gateway's own memory for writing much into an agent: here it is a process of its own. */
export async function measurePrompts({ product, counted, say }: HostedBench): Promise<Result[]> {
  say('  25 MB into a running agent');
  const { client, stack } = product;
  const pid = stack.services['runner-gateway'].process.pid ?? 0;
  return [await measureLargePrompt({ client, pid, rounds: counted(3), of: 'the gateway' })];
}
