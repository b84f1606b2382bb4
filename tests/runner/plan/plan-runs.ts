import type { Times } from '../record/times.ts';
import { choosePieces, type Piece } from './choose-pieces.ts';
import { drawThird } from './draw.ts';
import { type Project, type ProjectRun, projects } from './projects.ts';

export const killProjects = ['faults', 'faults-hosted'] as const;
export type KillProject = (typeof killProjects)[number];

/** What the plan of a run rests on, read by the caller. */
export type RunFacts = {
  seed: number;
  /** End-to-end files by how they run on the hosted stack. */
  hosted: { every: readonly string[]; long: readonly string[] };
  agents: readonly string[];
  /** Files whose kills are few in the short run, by their project. */
  kills: Readonly<Record<KillProject, readonly string[]>>;
  /** Whether a row of the catalog or the version of a program has changed since all of them were driven. */
  areAgentsChanged: boolean;
};

const findProject = (name: string): Project => {
  const project = projects.find((each) => each.name === name);
  if (project === undefined) throw new Error(`there is no project ${name}`);
  return project;
};

/** `npm test`: every project; of the agents' programs and of the sizes of files a third, of kills and refused uploads as many as the time allows. */
export function planShort(facts: RunFacts, wanted: readonly string[]): ProjectRun[] {
  const agents = facts.areAgentsChanged ? facts.agents : drawThird(facts.agents, facts.seed);
  return projects
    .filter(({ name, isLong }) => (wanted.length === 0 && !isLong) || wanted.includes(name))
    .map((project) => {
      const run = { project, name: project.name };
      if (project.name === 'e2e-hosted') return { ...run, files: facts.hosted.every };
      if (project.hasAgents) return { ...run, environment: environmentOfAgents(facts, agents) };
      if (project.name === 'hostile') return { ...run, environment: { ATTACHE_TEST_REFUSALS: 'few' } };
      return { ...run, environment: { ATTACHE_TEST_KILLS: 'few' } };
    });
}

// Of many sizes a third, another one by each seed.
const environmentOfAgents = ({ seed, areAgentsChanged }: RunFacts, agents: readonly string[]) => ({
  ATTACHE_TEST_AGENTS: agents.join(','),
  ATTACHE_TEST_REFUSALS: 'few',
  ...(areAgentsChanged ? {} : { ATTACHE_TEST_SIZES: String(seed % 3) }),
});

type LongPiece = Piece & { project: string; part: string };

const UNKNOWN_SECONDS = 60;
const LONG_PROJECTS = ['queries', 'clients', 'e2e-hosted', 'hostile', 'agents', ...killProjects] as const;
const REFUSALS = 'tests/hostile/requests/refused-uploads.test.ts';

/** The name under which the times of a project's long part are kept. */
export const longNameOf = (project: string): string => `${project} (long)`;

/** `npm run test:long`: what `npm test` leaves out; with a budget a choice of it. */
export function planLong(
  facts: RunFacts,
  wanted: readonly string[],
  budgetMs: number | undefined,
  times: Times | undefined,
): { runs: ProjectRun[]; leftOut: string[] } {
  const pieces = listPieces(facts, times).filter(({ project }) => wanted.length === 0 || wanted.includes(project));
  const chosen = budgetMs === undefined ? pieces : choosePieces(pieces, budgetMs / 1000, facts.seed);
  const runs = LONG_PROJECTS.flatMap((name) => {
    const parts = chosen.filter(({ project }) => project === name).map(({ part }) => part);
    return parts.length === 0 ? [] : [runOf(name, parts.sort())];
  });
  return { runs, leftOut: pieces.filter((piece) => !chosen.includes(piece)).map(({ name }) => name) };
}

function listPieces({ hosted, agents, kills }: RunFacts, times: Times | undefined): LongPiece[] {
  const kept = (project: string) => times?.projects[longNameOf(project)];
  const piece = (project: string, part: string, seconds: number | undefined) => ({
    name: `${project} ${part}`,
    ...{ project, part, seconds: seconds ?? UNKNOWN_SECONDS },
  });
  const perAgent = kept('agents') && (kept('agents')?.seconds ?? 0) / agents.length;
  return [
    ...hosted.long.map((file) => piece('e2e-hosted', file, kept('e2e-hosted')?.files[file]?.seconds)),
    piece('queries', 'all of them', kept('queries')?.seconds),
    piece('clients', 'all of them', kept('clients')?.seconds),
    piece('hostile', 'all refusals', kept('hostile')?.seconds),
    ...agents.map((agent) => piece('agents', agent, perAgent)),
    ...killProjects.flatMap((project) =>
      kills[project].map((file) => piece(project, file, kept(project)?.files[file]?.seconds)),
    ),
  ];
}

function runOf(name: (typeof LONG_PROJECTS)[number], parts: readonly string[]): ProjectRun {
  const run = { project: findProject(name), name: longNameOf(name) };
  if (name === 'e2e-hosted') return { ...run, files: parts };
  if (name === 'queries' || name === 'clients') return run;
  if (name === 'agents') return { ...run, environment: { ATTACHE_TEST_AGENTS: parts.join(',') } };
  if (name === 'hostile') return { ...run, files: [REFUSALS], environment: { ATTACHE_TEST_REFUSALS: 'all' } };
  return { ...run, files: parts, environment: { ATTACHE_TEST_KILLS: 'all' } };
}
