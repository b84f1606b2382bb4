import { Fault } from '@attache/contracts';

type DriverError = { code?: string; constraint?: string; constraint_name?: string };

function driverErrorOf(error: unknown): DriverError | undefined {
  const cause = (error as { cause?: unknown } | undefined)?.cause;
  return (cause ?? error) as DriverError | undefined;
}

/** Whether the database refused a duplicate; with `constraint`, of that unique constraint or index. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const found = driverErrorOf(error);
  if (found?.code !== '23505') return false;
  return constraint === undefined || (found.constraint ?? found.constraint_name) === constraint;
}

// Classes of SQLSTATE that say nothing about the statement itself: connection lost, resources, operator intervention, system error.
const unavailableClasses = new Set(['08', '53', '57', '58']);

/** A database that does not answer becomes a retryable fault; everything else is passed on as it is. */
export function asDatabaseFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const code = driverErrorOf(error)?.code;
  const isDown =
    code !== undefined && (unavailableClasses.has(code.slice(0, 2)) || /^(ECONN|EPIPE|CONNECT|CONNECTION)/.test(code));
  if (!isDown) return error;
  return new Fault('DATABASE_UNAVAILABLE', 'The database does not answer. Try again in a moment.', {
    retryable: true,
    cause: error,
  });
}
