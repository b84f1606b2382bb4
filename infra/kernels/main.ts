import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readEnvironment } from '../config.ts';
import { cacheFolderOf } from '../native/build/find-or-build-server.ts';
import { type BootOutcome, bootMachine } from './boot.ts';
import { busyboxOf, describeEmulator } from './emulator.ts';
import { hostMachine, machines } from './machines.ts';
import { packInitrd } from './make-system.ts';
import { prepareMachines } from './prepare-machines.ts';
import { type KernelRun, kernelRuns } from './runs.ts';

// `npm run kernels [-- NAME…]`: runs tests of the sandbox and of limits on emulated machines with Debian's kernels.
//   --fresh   fetches kernels, systems and QEMU again

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { fresh: { type: 'boolean', default: false } },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const repository = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const folder = join(cacheFolderOf(readEnvironment()), 'kernels');

const runs = kernelRuns.filter(
  ({ name }) => positionals.length === 0 || positionals.some((each) => name.startsWith(each)),
);
const reason = await explainRefusal();
if (reason === undefined) process.exitCode = (await runAll()) ? 0 : 1;
else {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}

async function explainRefusal(): Promise<string | undefined> {
  if (runs.length === 0) return `No run is named so. There are ${kernelRuns.map(({ name }) => name).join(', ')}.`;
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  if (!/^ID=debian$/m.test(release)) return 'Only a Debian system, by its sources of packages, brings the kernels.';
  return undefined;
}

async function runAll(): Promise<boolean> {
  const chosen = Object.values(machines).filter(({ architecture }) =>
    runs.some((run) => run.architecture === architecture),
  );
  await prepareMachines({ folder, repository, chosen, isFresh: values.fresh, say });
  let passedCount = 0;
  let complaintCount = 0;
  for (const run of runs) {
    const outcome = await runOne(run);
    report(run, outcome);
    if (outcome.status === 'ran') passedCount += outcome.results.passedCount;
    complaintCount += outcome.status === 'ran' ? outcome.results.complaints.length : 1;
  }
  say(`${runs.length} runs: ${passedCount} tests passed, ${complaintCount} failed or did not run`);
  return complaintCount === 0;
}

async function runOne(run: KernelRun): Promise<BootOutcome> {
  const machine = machines[run.architecture];
  const tools = join(folder, 'tools');
  const place = join(folder, 'runs', run.name);
  await mkdir(place, { recursive: true });
  const system = await packInitrd(join(folder, run.architecture), place, busyboxOf(tools));
  const emulator = describeEmulator(tools, hostMachine(), machine);
  say(`${run.name}: boots, with user ${run.user}, for ${run.files.join(', ')}`);
  return bootMachine({ run, machine, system, emulator, repository, outFolder: join(place, 'out') });
}

function report({ name }: KernelRun, outcome: BootOutcome): void {
  if (outcome.status === 'broken') {
    say(`${name}: the machine left no results; see ${outcome.log}`);
    return;
  }
  const { kernel, results, seconds } = outcome;
  say(`${name}: ${kernel}, ${results.passedCount} tests passed, ${results.complaints.length} complaints, ${seconds} s`);
  for (const complaint of results.complaints) say(`  ${complaint}`);
}
