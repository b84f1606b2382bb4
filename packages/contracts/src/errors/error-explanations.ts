import type { ErrorCode } from './error-codes.ts';
import type { ErrorExplanation } from './error-explanation.ts';
import { callerErrorExplanations } from './error-explanations-caller.ts';

/** The cause of each error, and what to do. The errors of the second half are not the caller's fault. */
export const errorExplanations: Record<ErrorCode, ErrorExplanation> = {
  ...callerErrorExplanations,
  INTERNAL: {
    when: 'The service has a bug.',
    whatToDo: 'Try again. If the error persists, report the requestId.',
  },
  MEDIA_WORKER_FAILED: {
    when: 'A media worker ended, timed out or used too much memory.',
    whatToDo: 'Try again. As the operator, check disk and memory.',
  },
  OWNERSHIP_LOST: {
    when: 'A gateway that no longer owns a session tried to write.',
    whatToDo: 'Do nothing: another gateway owns the session and continues it.',
  },
  CONFIGURATION_INVALID: {
    when: 'A setting is missing or wrong.',
    whatToDo: 'Correct the setting that the message names, and start again.',
  },
  DATA_FOLDER_LOCKED: {
    when: 'Another process uses the data folder.',
    whatToDo: 'Stop the other process, or choose another data folder.',
  },
  STORAGE_UNAVAILABLE: {
    when: 'The blob store does not answer, or is full or read-only.',
    whatToDo: 'Try again later. As the operator, check the blob store.',
  },
  DATABASE_UNAVAILABLE: {
    when: 'The database does not answer.',
    whatToDo: 'Try again in a moment. As the operator, check the database.',
  },
  BACKLOG_FULL: {
    when: 'Too many messages wait to be published.',
    whatToDo: 'Send the request again after the time in Retry-After.',
  },
  PROJECTION_TIMEOUT: {
    when: 'A projection was not ready in time.',
    whatToDo: 'Ask again: the finished parts are kept.',
  },
  SHUTTING_DOWN: {
    when: 'The process is stopping.',
    whatToDo: 'Try again in a moment: another process, or this one after its restart, takes the request.',
  },
};
