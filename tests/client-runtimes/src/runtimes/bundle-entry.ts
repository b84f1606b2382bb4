import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** One module with the suite and the client, as a platform's bundler makes it: nothing of Node is in it. */
export async function bundleEntry(name: 'program' | 'worker'): Promise<string> {
  const input = fileURLToPath(new URL(`./${name}-entry.ts`, import.meta.url));
  await using bundle = await rolldown({ input, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm' });
  return output[0].code;
}
