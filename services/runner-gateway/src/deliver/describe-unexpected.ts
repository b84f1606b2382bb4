import { type Failure, Fault } from '@attache/contracts';

const fullDisk: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** The failure of a delivery by an error that nobody expected. Its text may hold content and paths, so it names only a code, or the error's class. */
export function describeUnexpected(error: unknown): Failure {
  const diagnostic = nameError(error);
  return {
    code: 'delivery_runtime_transport_failed',
    severity: 'error',
    userMessage: fullDisk.has(diagnostic)
      ? "The gateway's disk is full. Free space on it, then retry."
      : 'The delivery failed on our side. Retry it; if it stays, report its trace id.',
    diagnostic,
    retryable: true,
  };
}

function nameError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return codeOf(error) ?? codeOf(error.cause) ?? error.name;
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof Fault) return codeOf(error.cause) ?? error.code;
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : undefined;
}
