import { isAccepted, type WireRequest } from '@attache/domain';

export type FileWatch = ReturnType<typeof createFileWatch>;

/** Whether the requests of one agent may hold a file that its model refuses. A conversation that an earlier process began may hold files of the program's own. */
export function createFileWatch(isContinued: boolean) {
  let mayHoldFiles = isContinued;
  let isTried = false;
  return {
    /** A turn begins, or a message enters one. */
    noteTurn(): void {
      isTried = false;
    },
    /** A message or a tool brings the agent a file. */
    noteComing(): void {
      mayHoldFiles = true;
      isTried = false;
    },
    noteRequest(request: WireRequest): void {
      if (isAccepted(request)) isTried = true;
      mayHoldFiles ||= request.blocks?.some(({ kind }) => kind === 'media') === true;
    },
    /** Whether the next request may: the model has accepted none of this turn, or none since the last file came. */
    mayBeRefused: (): boolean => mayHoldFiles && !isTried,
  };
}
