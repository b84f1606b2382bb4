import type { CarriedKind } from './catalog-row.ts';

/** Turns of one program version that show something against one kind of its row, of one tenant. */
export type FindingCounts = { turns: number; sessions: number; droppedTurns: number };

const TURNS = 3;
const SESSIONS = 2;

/** Whether that contradicts the row. One turn may be a chance, and one conversation a strange one. */
export const isContradicted = ({ turns, sessions }: FindingCounts): boolean => turns >= TURNS && sessions >= SESSIONS;

/** Describes a contradiction as evidence. */
export function describeContradiction(
  kind: CarriedKind,
  { programVersion, profile }: { programVersion: string; profile: string },
  { turns, sessions, droppedTurns }: FindingCounts,
): string {
  const version = programVersion === '' ? 'The program, whose version is not known,' : `Version ${programVersion}`;
  const what = droppedTurns === turns ? 'left out' : droppedTurns === 0 ? 'changed' : 'left out or changed';
  return `${version} ${what} ${nouns[kind]} in ${turns} turns of ${sessions} sessions with the profile ${profile}, as what left for the model shows.`;
}

const nouns: Record<CarriedKind, string> = {
  image: 'an image',
  document: 'a document',
  text: 'a text',
  audio: 'sound',
  video: 'a video',
};
