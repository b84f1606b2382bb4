import { enableCompileCache } from 'node:module';
import { setHeapFlags } from '@attache/cli/heap-flags';

// The command line as it ships, with limits in the place of the product's: `limited-cli <limits as JSON> start [service]`.

setHeapFlags();
enableCompileCache();
const { runCli } = await import('@attache/cli');

const [node = '', program = '', limits = '{}', ...words] = process.argv;
process.exitCode = await runCli([node, program, ...words], { limits: JSON.parse(limits) });
