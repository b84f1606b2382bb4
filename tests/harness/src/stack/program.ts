import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StackLimits } from '@attache/standalone';

// Folder of the bundle that a test run made: the product as it ships, whose processes start in a quarter of the time.
const bundle = process.env.ATTACHE_TEST_BUNDLE;

const choose = (bundled: string, source: URL) => (bundle ? join(bundle, bundled) : fileURLToPath(source));

/** The command line: bundled if a test run has bundled it, else its sources. */
export const cli = choose('attache.js', new URL('../../../../apps/cli/src/main.ts', import.meta.url));

const limitedCli = choose('limited-cli.js', new URL('./limited-cli.ts', import.meta.url));

/** Program and arguments behind `node` that run the command line, with `limits` in the place of the product's own. */
export const runWith = (limits: StackLimits | undefined): string[] =>
  limits === undefined ? [cli] : [limitedCli, JSON.stringify(limits)];

/** The program that looks at files and makes variants of them. */
export const mediaWorker = choose(
  'media-worker-main.js',
  new URL('../../../../packages/media/src/worker/main.ts', import.meta.url),
);

/** The program by which a runtime reaches the tools of its agent. */
export const mcpBridge = choose(
  'agent-kit-mcp-bridge-main.js',
  new URL('../../../../packages/agent-kit/src/mcp-bridge/main.ts', import.meta.url),
);

/** The example agent that ships with the product. */
export const exampleAgent = choose(
  'example-agent-main.js',
  new URL('../../../../apps/example-agent/src/main.ts', import.meta.url),
);

/** An agent that does what the lines `do: <verb> [argument]` of a message say. */
export const scriptedAgent = choose(
  'fixtures/scripted-agent.js',
  new URL('../../../e2e/fixtures/scripted-agent.ts', import.meta.url),
);

/** An agent that sends its whole conversation to a model, and continues it in a later process. */
export const conversingAgent = choose(
  'fixtures/conversing-agent.js',
  new URL('../../../e2e/fixtures/conversing-agent.ts', import.meta.url),
);

/** A program whose turns can be entered while they run. */
export const steeredAgent = choose(
  'fixtures/fake-codex.js',
  new URL('../../../../packages/programs/src/codex/__fixtures__/fake-codex.ts', import.meta.url),
);

/** The scripted one, which takes a second and a half to start. */
export const lateAgent = choose(
  'fixtures/late-agent.js',
  new URL('../../../e2e/fixtures/late-agent.ts', import.meta.url),
);
