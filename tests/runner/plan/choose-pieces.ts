import { shuffle } from './draw.ts';

/** A piece of the long tests that can be run alone. */
export type Piece = {
  /** `<project> <what of it>`. */
  name: string;
  /** As measured before; a guess where it is new. */
  seconds: number;
};

/** The pieces that fit into a budget, in an order that the seed draws, so that every piece has its turn. */
export function choosePieces<P extends Piece>(pieces: readonly P[], budgetSeconds: number, seed: number): P[] {
  const byName = new Map(pieces.map((piece) => [piece.name, piece]));
  const chosen: P[] = [];
  let left = budgetSeconds;
  for (const name of shuffle([...byName.keys()], seed)) {
    const piece = byName.get(name);
    if (piece === undefined || piece.seconds > left) continue;
    chosen.push(piece);
    left -= piece.seconds;
  }
  return chosen;
}
