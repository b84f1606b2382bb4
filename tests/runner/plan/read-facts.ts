import { execFileSync, type StdioOptions } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { haveAgentsChanged } from '@attache/test-agents/changes';
import { keysUnderTest } from '@attache/test-agents/runtimes';
import { readRequirements } from '../record/requirements.ts';
import { seedOf } from './draw.ts';
import { readProjectFinder } from './find-projects.ts';
import { listAmounts } from './list-amounts.ts';
import type { RunFacts } from './plan-runs.ts';
import { listTagged } from './stack-tags.ts';

/** Reads what the plan of a run rests on. Without a seed that of the commit is taken. */
export async function readFacts(root: string, seed: number | undefined): Promise<RunFacts> {
  const embedded = { every: listTagged(root, 'embedded', 'every'), long: listTagged(root, 'embedded', 'long') };
  const long = globSync('{packages,services,apps,infra,scripts,tests}/**/*.long.test.ts', { cwd: root, exclude });
  return {
    seed: seed ?? seedOf(readCommit(root)),
    embedded,
    hosted: { every: listTagged(root, 'hosted', 'every'), long: listTagged(root, 'hosted', 'long') },
    agents: keysUnderTest,
    amounts: await groupAmounts(root),
    long: long.toSorted(),
    proofs: listProofs(root, [...embedded.long, ...long]),
    areAgentsChanged: haveAgentsChanged(),
  };
}

const exclude = ['**/node_modules/**'];

/** The files with the proof of a requirement that `npm test` would not have in each run: those that it leaves out, and those of drawn agents. */
function listProofs(root: string, leftOut: readonly string[]): Set<string> {
  const requirements = readRequirements(readFileSync(join(root, 'tests/requirements.md'), 'utf8'));
  const files = requirements.flatMap(({ proof }) => proof?.file ?? []);
  return new Set(files.filter((file) => leftOut.includes(file) || file.startsWith('tests/agents/')));
}

/** The test files whose amount can be chosen, by their project. */
async function groupAmounts(root: string): Promise<Record<string, string[]>> {
  const findProjects = await readProjectFinder(root);
  return Object.groupBy(listAmounts(root), (file) => findProjects(file)[0] ?? '') as Record<string, string[]>;
}

/** The commit; if there is no git, or no repository, the day. */
function readCommit(root: string): string {
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio }).trim();
  } catch {
    return new Date().toISOString().slice(0, 10);
  }
}
