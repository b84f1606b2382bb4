import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { formatMachine, type Machine } from './describe-machine.ts';
import { formatMarkdown, hasTarget, isMissed, isOnTheLine, type Result, ratioOf, type Stack } from './result.ts';

const folder = new URL('../../', import.meta.url);
const readme = fileURLToPath(new URL('README.md', folder));
export const resultsFolder = fileURLToPath(new URL('results/', folder));

export type Run = {
  startedAt: Date;
  isQuick: boolean;
  /** The one measurement of the run; all of them if undefined. */
  only: string | undefined;
  machine: Machine;
  /** Versions and settings of the servers; empty if none was started. */
  servers: Readonly<Record<string, string>>;
  /** Names of the measurements that came to no end. */
  failures: readonly string[];
  results: Partial<Record<Stack, Result[]>>;
};

const round = (value: number): number => Number(value.toPrecision(5));

const toPlain = (result: Result) => ({
  ...result,
  ratio: ratioOf(result) === undefined ? undefined : round(ratioOf(result) ?? 0),
  isMissed: hasTarget(result) ? isMissed(result) : undefined,
  isOnTheLine: hasTarget(result) ? isOnTheLine(result) : undefined,
});

/** Writes one run to `results/<UTC time>.json`; answers the path. */
export async function writeRun(run: Run): Promise<string> {
  await mkdir(resultsFolder, { recursive: true });
  const path = `${resultsFolder}${run.startedAt.toISOString().slice(0, 19).replaceAll(':', '')}Z.json`;
  const results = Object.fromEntries(Object.entries(run.results).map(([stack, list]) => [stack, list.map(toPlain)]));
  const text = JSON.stringify({ ...run, results }, (_, value) => (typeof value === 'number' ? round(value) : value), 2);
  await writeFile(path, `${text}\n`);
  return path;
}

/** The text between the markers of a stack, replaced. Throws if the markers are not there. */
export function replaceFigures(text: string, stack: Stack, figures: string): string {
  const [open, close] = [`<!-- figures of the ${stack} stack -->`, '<!-- end of figures -->'];
  const start = text.indexOf(open);
  const end = text.indexOf(close, start);
  if (start < 0 || end < 0) throw new Error(`The README has no place for the figures of the ${stack} stack.`);
  return `${text.slice(0, start + open.length)}\n\n${figures}\n\n${text.slice(end)}`;
}

function describeRun(run: Run, stack: Stack): string {
  const others = { hosted: 'versitygw', versitygw: 'MinIO', embedded: '', scale: '' };
  const own = Object.entries(run.servers).filter(([name]) => name !== others[stack]);
  const servers = own.map(([name, said]) => `${name} ${said}`);
  const lines = [
    `${run.startedAt.toISOString().slice(0, 10)}, ${formatMachine(run.machine)}.`,
    ...(stack !== 'embedded' ? [`${servers.join('; ')}.`] : []),
  ];
  return lines.join('\n');
}

/** Puts the tables of a run into the README. */
export async function writeFigures(run: Run): Promise<void> {
  let text = await readFile(readme, 'utf8');
  for (const [stack, results] of Object.entries(run.results)) {
    text = replaceFigures(text, stack as Stack, `${describeRun(run, stack as Stack)}\n\n${formatMarkdown(results)}`);
  }
  await writeFile(readme, text);
}
