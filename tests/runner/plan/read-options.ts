import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

export type TestOptions = {
  /** Projects that were named; none means all. */
  projects: string[];
  /** Test files that were named, relative to the repository. */
  files: string[];
  /** Runs only what a change since this commit can reach. */
  since: string | undefined;
  /** For everything that is drawn by chance; the commit's without it. */
  seed: number | undefined;
  /** How long a choice of the long tests may take. */
  budgetMs: number | undefined;
  /** Keeps the times of this run in tests/times.json, instead of those kept before. */
  isKeepingTimes: boolean;
};

const USAGE = `npm test -- [project or file …] [--since <commit>] [--seed <number>] [--keep-times]
npm run test:long -- [project …] [--budget <minutes>m] [--seed <number>] [--keep-times]`;

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Reads the arguments of `npm test` and `npm run test:long`. Throws a sentence for people if they are wrong. */
export function readOptions(
  args: readonly string[],
  known: { root: string; projects: readonly string[] },
): TestOptions {
  const { values, positionals } = parse(args);
  const isProject = (word: string) => known.projects.includes(word);
  const isFile = (word: string) => /\.(test|spec)\.ts$/.test(word) && existsSync(join(known.root, word));
  const unknown = positionals.filter((word) => !isProject(word) && !isFile(word));
  if (unknown.length > 0)
    throw new Error(
      `There is no test project or file ${unknown.join(', ')}. Choose from: ${known.projects.join(', ')}; or name a test file.`,
    );
  return {
    projects: positionals.filter(isProject),
    files: positionals.filter(isFile).map((word) => relative(known.root, join(known.root, word))),
    since: values.since,
    seed: values.seed === undefined ? undefined : readSeed(values.seed),
    budgetMs: values.budget === undefined ? undefined : readDuration(values.budget),
    isKeepingTimes: values['keep-times'] === true,
  };
}

function parse(args: readonly string[]) {
  const options = {
    since: { type: 'string' },
    seed: { type: 'string' },
    budget: { type: 'string' },
    'keep-times': { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`, { cause: error });
  }
}

function readSeed(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`A seed is a whole number of at most nine digits, not ${text}.`);
}

function readDuration(text: string): number {
  const [, count, unit] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`A budget is a number and a unit, such as 20m, not ${text}.`);
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}
