import { runSuite } from '../suite.ts';

// Deno has this part of Node's `process`, too.
const results = await runSuite(JSON.parse(process.argv.at(-1) ?? '{}'));
process.stdout.write(`${JSON.stringify(results)}\n`);
