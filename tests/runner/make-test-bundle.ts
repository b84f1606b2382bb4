import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { copyPackages } from '../../scripts/bundle/bundle-packages.ts';
import { writeBundle } from '../../scripts/bundle/write-bundle.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const fixtures = [
  'tests/e2e/fixtures/scripted-agent.ts',
  'tests/e2e/fixtures/conversing-agent.ts',
  'tests/e2e/fixtures/late-agent.ts',
  'packages/programs/src/codex/__fixtures__/fake-codex.ts',
].map((path) => join(root, path));

/**
 * Bundles the command line and the agents of the tests into a folder, and names it in the environment. The stacks under test run
 * from it: as they ship, and their many processes start in a quarter of the time.
 */
export async function makeTestBundle(folder: string): Promise<void> {
  const entries = { 'limited-cli': join(root, 'tests/harness/src/stack/limited-cli.ts') };
  const { packages } = await writeBundle({ root, out: folder, entries });
  copyPackages({ root, names: packages, out: folder });
  await build({
    cwd: root,
    input: fixtures,
    platform: 'node',
    output: { dir: join(folder, 'fixtures'), format: 'esm', entryFileNames: '[name].js' },
  });
  process.env.ATTACHE_TEST_BUNDLE = folder;
}
