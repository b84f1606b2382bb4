import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import type { OpenPlace } from '@attache/cli/demo';
import { readEnvironment } from './config.ts';

// `npm run demo [-- FILE] [--profile PROFILE [--model MODEL] | --text-only-model] [--stack]`: the main job on the embedded stack, or on
// the hosted one, whose servers and services are started for it; with `--gateways 2` the one that has the conversation is killed between two turns.

enableCompileCache();
const words = process.argv.slice(2);
const isHosted = words.includes('--stack');
const gatewayCount = readGatewayCount(words);

function readGatewayCount(given: readonly string[]): number {
  const at = given.indexOf('--gateways');
  if (at < 0) return 1;
  if (!isHosted || !/^[1-9]$/.test(given[at + 1] ?? '')) {
    process.stderr.write('--gateways is a number from 1 to 9, and goes with --stack.\n');
    process.exit(2);
  }
  return Number(given[at + 1]);
}

const isOfStack = (word: string, before: string | undefined): boolean =>
  word === '--stack' || word === '--gateways' || before === '--gateways';

const say = (line: string): unknown => process.stderr.write(`  ${line}\n`);

const hosted: OpenPlace = {
  title: 'hosted stack started: three services on Postgres, NATS and MinIO',
  async open() {
    // The embedded demo has no use for these, and they take a second to load.
    const [{ startOtlpReceiver }, { startStack }] = await Promise.all([
      import('./otlp-receiver.ts'),
      import('./run-stack.ts'),
    ]);
    const receiver = await startOtlpReceiver();
    const folder = join(readEnvironment().INIT_CWD ?? process.cwd(), '.attache', 'demo-stack');
    const stack = await startStack({
      folder,
      gatewayCount,
      isDurable: false,
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
      onProgress: say,
    });
    return {
      url: stack.url,
      apiKey: stack.apiKey,
      outputFolder: join(folder, 'outputs'),
      readSpans: receiver.spans,
      // The services send theirs twice a second.
      spansSettleMs: 1_200,
      ...(gatewayCount > 1 && { findOwner: stack.findOwner, killGateway: stack.killGateway }),
      async stop() {
        await stack.stop();
        await receiver.stop();
      },
    };
  },
};

const { runCli } = await import('@attache/cli');
const argv = ['node', 'attache', 'demo', ...words.filter((word, index) => !isOfStack(word, words[index - 1]))];
process.exitCode = await runCli(argv, { demoPlace: isHosted ? hosted : undefined });
