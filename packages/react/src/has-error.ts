type Failed = { error?: object | undefined };

/** Whether a file, a plan or a message failed for the reason of that code. */
export const hasError = ({ error }: Failed, code: string) => (error as { code?: string } | undefined)?.code === code;

/** Whether the person stopped the upload of a file; nothing went wrong then. */
export const isStopped = (file: Failed) => hasError(file, 'REQUEST_ABORTED');
