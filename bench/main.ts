import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureDelivery } from './src/measure-delivery.ts';
import { measureMemory } from './src/measure-memory.ts';
import { measureStart } from './src/measure-start.ts';
import { measureUploads, type UploadSeries } from './src/measure-uploads.ts';
import { formatTable, type Result } from './src/result.ts';
import { startBare, startProduct } from './src/start-programs.ts';

// `npm run bench [-- --quick]`: measures the product against a bare program in the same run. Ends 1 where a target is missed.

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const share = values.quick ? 0.25 : 1;
const counted = (count: number) => Math.max(3, Math.round(count * share));

const uploads: UploadSeries[] = [
  { label: '100 kB', sizeBytes: 100_000, count: counted(100), maxRatio: 3 },
  { label: '1 MB', sizeBytes: 1_000_000, count: counted(60), maxRatio: 1.8 },
  { label: '25 MB', sizeBytes: 25_000_000, count: counted(16), maxRatio: 1.25 },
];

const say = (line: string): unknown => process.stderr.write(`${line}\n`);

async function measureAll(): Promise<Result[]> {
  await using stack = new AsyncDisposableStack();
  say('Starting the product and the bare program …');
  const product = await startProduct();
  stack.defer(() => product.stop());
  const bare = await startBare();
  stack.defer(() => bare.stop());
  const results: Result[] = [];
  for (const series of uploads) {
    say(`Uploads of ${series.label} …`);
    results.push(await measureUploads(product, bare, series));
  }
  say('Memory …');
  results.push(await measureMemory(product));
  say('Deliveries …');
  results.push(...(await measureDelivery(product, counted(40))));
  return results;
}

const [load = 0] = loadavg();
const results = await measureAll();
say('Starts …');
results.push(...(await measureStart(counted(5))));
process.stdout.write(
  `${formatTable(results)}${availableParallelism()} processors, load ${load.toFixed(1)} before the run\n`,
);
const missed = results.filter(({ isMissed }) => isMissed);
for (const { what, figures, target } of missed) say(`Missed: ${what}: ${figures}, target ${target}`);
process.exitCode = missed.length > 0 ? 1 : 0;
