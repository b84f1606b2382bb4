import { connect, type Socket } from 'node:net';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres, { type PendingQuery, type Row, type Sql } from 'postgres';
import { isConnectionLoss } from '../database-fault.ts';

/** Longer than any statement or transaction may take by the settings of the service logins. */
const STALL_MS = 45_000;
/** Statements that are kept prepared on one connection; later ones are sent without a name. */
const MAX_PREPARED = 500;

type Rows = PendingQuery<Row[]>;
type Parameters = Exclude<globalThis.Parameters<Sql['unsafe']>[1], undefined>;

/** One connection to a server, used by one caller at a time. It is never opened a second time: who finds it broken opens a new one. */
export type PostgresConnection = {
  client: Sql;
  openedAtMs: number;
  /** Sends a statement behind those already sent. Without parameters it may hold several, separated by semicolons. */
  run(text: string, parameters?: Parameters): Rows;
  isBroken(): boolean;
  /** Says goodbye where possible, and lets go of the socket. */
  close(): Promise<void>;
};

export type ConnectionOptions = {
  url: string;
  applicationName: string;
  connectTimeoutMs: number;
  /** A pooler is in between that gives each transaction another server connection: nothing is prepared. */
  isPooled: boolean;
};

/** For the connections of a start: a server that is not there refuses at once; a busy one answers late, and nobody is served before it does. */
export const START_TIMEOUT_MS = 20_000;

function openSocket(host: string, port: number, path: string | undefined, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = path === undefined ? connect({ host, port }) : connect({ path });
    const timer = setTimeout(() => socket.destroy(timeoutError()), timeoutMs);
    socket.once('error', reject);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      socket.setNoDelay(true);
      resolve(socket);
    });
    socket.once('close', () => clearTimeout(timer));
  });
}

const timeoutError = () => Object.assign(new Error('the connection took too long'), { code: 'CONNECT_TIMEOUT' });
const closedError = () => Object.assign(new Error('the connection is closed'), { code: 'CONNECTION_CLOSED' });

/**
 * Opens one connection. The driver's own pool is not used: when the server ends a connection inside a transaction, it writes to a
 * socket that is gone and takes the process with it, and a closed connection comes back to life without its transaction.
 */
export async function openConnection(options: ConnectionOptions): Promise<PostgresConnection> {
  let socket: Socket | undefined;
  let isBroken = false;
  const client = postgres(options.url, {
    ...{ max: 1, idle_timeout: 0, max_lifetime: 0, fetch_types: false, prepare: !options.isPooled, onnotice: () => {} },
    // Ours is the only timeout: the driver's would open a second socket.
    connect_timeout: 0,
    connection: { application_name: options.applicationName },
    onclose: () => {
      isBroken = true;
    },
    async socket({ host, port, path }: { host: string[]; port: number[]; path?: string }) {
      if (socket || isBroken) throw closedError();
      const [firstHost = 'localhost', firstPort = 5432] = [host[0], port[0]];
      socket = await openSocket(firstHost, firstPort, path || undefined, options.connectTimeoutMs);
      // For the name in a server's certificate.
      return Object.assign(socket, { host: firstHost, port: firstPort });
    },
  } as postgres.Options<Record<string, never>>);
  // Teaches the driver to leave times and JSON to drizzle.
  drizzle(client);
  const breakOff = () => {
    isBroken = true;
    socket?.destroy();
  };
  const connection: PostgresConnection = {
    ...{
      client,
      openedAtMs: performance.now(),
      isBroken: () => isBroken,
      run: createRun(client, options, () => isBroken, breakOff),
    },
    async close() {
      const isClean = !isBroken;
      isBroken = true;
      if (isClean) await client.end({ timeout: 1 }).catch(() => {});
      socket?.destroy();
    },
  };
  await greet(connection, options.connectTimeoutMs, breakOff);
  return connection;
}

// The first statement makes the driver connect and log in. A server that accepts and says nothing is given up.
async function greet(connection: PostgresConnection, timeoutMs: number, breakOff: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(timeoutError()), timeoutMs);
  });
  try {
    await Promise.race([connection.run('select 1'), timedOut]);
  } catch (error) {
    breakOff();
    void connection.client.end({ timeout: 0 }).catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function createRun(client: Sql, { isPooled }: ConnectionOptions, isBroken: () => boolean, breakOff: () => void) {
  const prepared = new Set<string>();
  const mayPrepare = (text: string) => {
    if (isPooled) return false;
    if (prepared.size < MAX_PREPARED) prepared.add(text);
    return prepared.has(text);
  };
  return (text: string, parameters: Parameters = []): Rows => {
    if (isBroken()) return rejectedRows(closedError());
    const rows = client.unsafe(text, parameters, { prepare: parameters.length > 0 && mayPrepare(text) });
    const timer = setTimeout(breakOff, STALL_MS);
    // Asks the driver to send it, too: in the order of the calls.
    rows.then(
      () => clearTimeout(timer),
      (error: unknown) => {
        clearTimeout(timer);
        // Known here before the socket says that it is closed: nobody may be given this connection any more.
        if (isConnectionLoss(error)) breakOff();
      },
    );
    return rows as unknown as Rows;
  };
}

/** The result of a statement that can no longer be sent. */
export function rejectedRows(error: unknown): Rows {
  const rejected = Promise.reject(error);
  rejected.catch(() => {});
  return Object.assign(rejected, { values: () => rejected }) as unknown as Rows;
}
