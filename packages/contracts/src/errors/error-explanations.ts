import type { ErrorCode } from './error-codes.ts';
import type { ErrorExplanation } from './error-explanation.ts';
import { callerErrorExplanations } from './error-explanations-caller.ts';

/** When each error is raised, and what to do. Those of the second half are not the caller's fault. */
export const errorExplanations: Record<ErrorCode, ErrorExplanation> = {
  ...callerErrorExplanations,
  INTERNAL: {
    when: 'A bug on our side.',
    whatToDo: 'Try again; if it stays, report the requestId.',
  },
  MEDIA_WORKER_FAILED: {
    when: 'A media worker ended, timed out or used too much memory.',
    whatToDo: 'Try again; the operator looks at disk and memory.',
  },
  OWNERSHIP_LOST: {
    when: 'A gateway that no longer owns a session tried to write.',
    whatToDo: 'Nothing: another gateway owns the session and continues it.',
  },
  CONFIGURATION_INVALID: {
    when: 'A setting is missing or wrong.',
    whatToDo: 'Correct the setting that the message names, and start again.',
  },
  DATA_FOLDER_LOCKED: {
    when: 'Another process works on the data folder.',
    whatToDo: 'Stop the other process, or choose another data folder.',
  },
  STORAGE_UNAVAILABLE: {
    when: 'The blob store does not answer, or is full or read-only.',
    whatToDo: 'Try again later; the operator looks at the blob store.',
  },
  DATABASE_UNAVAILABLE: {
    when: 'The database does not answer.',
    whatToDo: 'Try again in a moment; the operator looks at the database.',
  },
  BACKLOG_FULL: {
    when: 'Too much waits to be published.',
    whatToDo: 'Send the request again as late as Retry-After says.',
  },
  PROJECTION_TIMEOUT: {
    when: 'A projection was not ready in time.',
    whatToDo: 'Ask again: what was made until then is kept.',
  },
  SHUTTING_DOWN: {
    when: 'The process is stopping.',
    whatToDo: 'Try again in a moment; another process or the next start takes it.',
  },
};
