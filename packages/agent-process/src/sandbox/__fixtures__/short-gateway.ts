import { givenSpec } from '../../__fixtures__/given-spec.ts';
import { prepareSettings } from '../../settings/prepare-settings.ts';
import { spawnAgent } from '../../spawn-agent.ts';

// A gateway with one sandboxed agent: says the agent's process id, and waits to be killed.
const [folder = ''] = process.argv.slice(2);
const context = { inherited: { PATH: process.env.PATH ?? '' }, redact: (each: string) => each };
const leaving = 'setsid sh -c "sleep 600 & exec sleep 600" & exec sleep 600';
const spec = givenSpec({
  ...{ command: ['sh', '-c', leaving], folder, socketPath: '', token: '', marker: 'test.1' },
  sandbox: { readOnly: [], privateFolders: [] },
});
const settings = { defaults: {}, env: {}, args: [], files: [], homeFolder: '/agent/home' };
await prepareSettings(spec, () => settings, context.redact);
const outcome = await spawnAgent(spec, settings, context);
process.stdout.write(`${outcome.status === 'started' ? outcome.child.pid : outcome.failure.diagnostic}\n`);
setInterval(() => undefined, 60_000);
