import { shuffle } from './draw.ts';
import type { Project } from './projects.ts';

/** A piece of the long tests that can be run alone. */
export type Piece = {
  /** `<project> <what of it>`. */
  name: string;
  project: string;
  lane: Project['lane'];
  /** As measured before; a guess if it is new. */
  seconds: number;
  /** Every run has it, whatever its seed and budget. */
  isDue?: boolean;
};

/** So many files of a project run at once; one more does, but then all take longer than they were measured to. */
const FILES_AT_ONCE = 2;

/** How long pieces of one project take together. */
export function secondsTogether(pieces: readonly number[]): number {
  const sum = pieces.reduce((total, each) => total + each, 0);
  return Math.max(0, sum / FILES_AT_ONCE, ...pieces);
}

/** The pieces that are due, and of the others those that fit into the rest of a budget, in an order that the seed draws, so that every piece has its turn. */
export function choosePieces<P extends Piece>(pieces: readonly P[], budgetSeconds: number, seed: number): P[] {
  const byName = new Map(pieces.map((piece) => [piece.name, piece]));
  const chosen = pieces.filter(({ isDue }) => isDue);
  for (const name of shuffle([...byName.keys()], seed)) {
    const piece = byName.get(name);
    if (piece === undefined || piece.isDue || estimateLane([...chosen, piece], piece.lane) > budgetSeconds) continue;
    chosen.push(piece);
  }
  return chosen;
}

/** Both lanes run at once; the projects of one run one after the other. */
function estimateLane(pieces: readonly Piece[], lane: Piece['lane']): number {
  const byProject = Map.groupBy(
    pieces.filter((piece) => piece.lane === lane),
    ({ project }) => project,
  );
  return [...byProject.values()].reduce((total, own) => total + secondsTogether(own.map(({ seconds }) => seconds)), 0);
}
