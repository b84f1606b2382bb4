import type { Times } from '../record/times.ts';
import { choosePieces, type Piece, secondsTogether } from './choose-pieces.ts';
import { drawOne } from './draw.ts';
import { type Project, type ProjectRun, projects } from './projects.ts';

const KILL_PROJECTS = ['faults', 'faults-hosted'] as const;

/** The facts behind the plan of a run, read by the caller. */
export type RunFacts = {
  seed: number;
  /** End-to-end files by how they run on each stack. */
  embedded: { every: readonly string[]; long: readonly string[] };
  hosted: { every: readonly string[]; long: readonly string[] };
  agents: readonly string[];
  /** Files that do more when ATTACHE_TEST_AMOUNT is `all`, by their project. */
  amounts: Readonly<Record<string, readonly string[]>>;
  /** Files that `npm test` leaves out. */
  long: readonly string[];
  /** Files that hold the proof of a requirement, of those that `npm test` leaves out or draws. */
  proofs: ReadonlySet<string>;
  /** Whether a row of the catalog or the version of a program has changed since all of them were driven. */
  areAgentsChanged: boolean;
};

const findProject = (name: string): Project => {
  const project = projects.find((each) => each.name === name);
  if (project === undefined) throw new Error(`there is no project ${name}`);
  return project;
};

const FEW = { ATTACHE_TEST_AMOUNT: 'few' };
const ALL = { ATTACHE_TEST_AMOUNT: 'all' };

/**
 * `npm test`: every project but the long ones. The seed draws which of the two stacks is killed, which of the agents' programs is driven besides the files
 * that prove a requirement, and which samples are taken if there are many.
 */
export function planShort(facts: RunFacts, wanted: readonly string[]): ProjectRun[] {
  const killed = drawOne(KILL_PROJECTS, facts.seed);
  const isLeftOut = ({ name, isLong }: Project) =>
    isLong || KILL_PROJECTS.some((each) => each === name && name !== killed);
  const agents = facts.areAgentsChanged ? facts.agents : [drawOne(facts.agents, facts.seed)];
  return projects
    .filter((project) => (wanted.length === 0 ? !isLeftOut(project) : wanted.includes(project.name)))
    .map((project) => {
      const run = { project, name: project.name, environment: FEW };
      if (project.name === 'e2e') return { ...run, files: facts.embedded.every };
      if (project.name === 'e2e-hosted') return { ...run, files: facts.hosted.every };
      return project.hasAgents ? { ...run, environment: { ...FEW, ...environmentOfAgents(facts, agents) } } : run;
    });
}

// Each seed draws another ninth of many sizes, and another one of the four files about several programs.
const environmentOfAgents = ({ seed, proofs, areAgentsChanged }: RunFacts, agents: readonly string[]) => ({
  ATTACHE_TEST_AGENTS: agents.join(','),
  ATTACHE_TEST_PROOFS: [...proofs].filter((file) => file.startsWith('tests/agents/')).join(','),
  ...(areAgentsChanged ? {} : { ATTACHE_TEST_SIZES: String(seed % 36) }),
});

type LongPiece = Piece & { part: string };

const UNKNOWN_SECONDS = 60;
/** Projects that are one piece. */
const WHOLE = ['queries', 'clients'] as const;

/** The name under which the times of a project's long part are kept. */
const longNameOf = (project: string): string => (findProject(project).isLong ? project : `${project} (long)`);

/** `npm run test:long`: what `npm test` leaves out; with a budget a choice of it, and what holds the proof of a requirement in any case. */
export function planLong(
  facts: RunFacts,
  wanted: readonly string[],
  budgetMs: number | undefined,
  times: Times | undefined,
): { runs: ProjectRun[]; leftOut: string[] } {
  const pieces = listPieces(facts, times).filter(({ project }) => wanted.length === 0 || wanted.includes(project));
  const chosen = budgetMs === undefined ? pieces : choosePieces(pieces, budgetMs / 1000, facts.seed);
  const runs = projects.flatMap(({ name }) => {
    const parts = chosen.filter(({ project }) => project === name).map(({ part }) => part);
    return parts.length === 0 ? [] : [runOf(name, parts.sort())];
  });
  return { runs, leftOut: pieces.filter((piece) => !chosen.includes(piece)).map(({ name }) => name) };
}

function listPieces(
  { embedded, hosted, agents, amounts, long, proofs }: RunFacts,
  times: Times | undefined,
): LongPiece[] {
  // The time of the short run is better than none.
  const keptOf = (project: string) => ({ ...times?.files[project], ...times?.files[longNameOf(project)] });
  const piece = (project: string, part: string, seconds: number | undefined): LongPiece => ({
    name: `${project} ${part}`,
    ...{ project, part, lane: findProject(project).lane },
    ...{ seconds: seconds ?? UNKNOWN_SECONDS, isDue: proofs.has(part) },
  });
  const secondsOfAll = (files: readonly number[]) => (files.length === 0 ? undefined : secondsTogether(files));
  // Their files keep a server busy, so that two at once take as long as one after the other.
  const sumOf = (files: readonly number[]) =>
    files.length === 0 ? undefined : files.reduce((sum, each) => sum + each, 0);
  const pieceOfFile = (project: string) => (file: string) => piece(project, file, keptOf(project)[file]);
  const pieceOfAgent = (agent: string) => {
    const rows = Object.entries(keptOf('agents')).filter(([file]) => file.includes(`/programs/${agent}/`));
    return piece('agents', agent, secondsOfAll(rows.map(([, seconds]) => seconds)));
  };
  return [
    ...embedded.long.map(pieceOfFile('e2e')),
    ...hosted.long.map(pieceOfFile('e2e-hosted')),
    ...long.map(pieceOfFile('long')),
    ...WHOLE.map((project) => piece(project, 'all of them', sumOf(Object.values(keptOf(project))))),
    ...agents.map(pieceOfAgent),
    ...Object.entries(amounts).flatMap(([project, files]) => files.map(pieceOfFile(project))),
  ];
}

function runOf(name: string, parts: readonly string[]): ProjectRun {
  const run = { project: findProject(name), name: longNameOf(name), environment: ALL };
  if (WHOLE.some((project) => project === name)) return run;
  if (name === 'agents') return { ...run, environment: { ...ALL, ATTACHE_TEST_AGENTS: parts.join(',') } };
  return { ...run, files: parts };
}
