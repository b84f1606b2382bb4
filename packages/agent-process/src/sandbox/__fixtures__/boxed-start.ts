import { randomUUID } from 'node:crypto';
import { givenSpec } from '../../__fixtures__/given-spec.ts';
import type { AgentSpec } from '../../driver.ts';
import { prepareSettings } from '../../settings/prepare-settings.ts';
import { type SpawnContext, type SpawnOutcome, spawnAgent } from '../../spawn-agent.ts';

const PATH = '/usr/local/bin:/usr/bin:/bin';

/** Starts a command in a sandbox as an agent's program is, without its protocol. */
export async function startBoxed(
  command: readonly string[],
  rest: Partial<AgentSpec> & Pick<AgentSpec, 'folder'>,
  more: Partial<SpawnContext> = {},
): Promise<SpawnOutcome> {
  const context: SpawnContext = { inherited: { PATH }, redact: (text) => text, ...more };
  const spec = givenSpec({
    ...{ command, socketPath: '', token: `ata_${randomUUID()}`, marker: 'test.1' },
    ...{ sandbox: { readOnly: [], privateFolders: [] }, ...rest },
  });
  const settings = { defaults: {}, env: {}, args: [], files: [], homeFolder: '/agent/home' };
  const prepared = await prepareSettings(spec, () => settings, context.redact);
  return prepared.status === 'failed' ? prepared : await spawnAgent(spec, settings, context);
}
