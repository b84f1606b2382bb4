import { Fault } from '@attache/contracts';

type DriverError = { code?: string; message?: string; constraint?: string; constraint_name?: string };

/** The driver's own error inside what drizzle throws. */
export function driverErrorOf(error: unknown): DriverError | undefined {
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
// Refused for the sake of others, and worth trying again: serialization, deadlock, a lock that did not come free.
const contendedCodes = new Set(['40001', '40P01', '55P03']);
const DISK_FULL = '53100';
// A standby, or a server that is set to read-only.
const READ_ONLY = '25006';
// Error codes of the driver and the network, and those with which the server ends a connection.
const lossCode = /^(E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_)|CONNECT|08|57P)/;

/** Whether the connection was lost, so that the outcome of what was sent is unknown. */
export function isConnectionLoss(error: unknown): boolean {
  return lossCode.test(driverErrorOf(error)?.code ?? '');
}

/** A database that does not answer becomes a retryable fault; everything else is passed on as it is. */
export function asDatabaseFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const code = driverErrorOf(error)?.code ?? '';
  const details = { retryable: true, cause: error };
  if (code === DISK_FULL)
    return new Fault('DATABASE_UNAVAILABLE', "The database's disk is full. Free space on it, then try again.", details);
  if (isConnectionLoss(error) || unavailableClasses.has(code.slice(0, 2))) {
    return new Fault('DATABASE_UNAVAILABLE', 'The database does not answer. Try again in a moment.', details);
  }
  if (contendedCodes.has(code)) {
    return new Fault(
      'DATABASE_UNAVAILABLE',
      'The database is busy with the same rows. Try again in a moment.',
      details,
    );
  }
  if (code === READ_ONLY) {
    return new Fault('DATABASE_UNAVAILABLE', 'The database is read-only: the primary server is needed.', details);
  }
  return error;
}
