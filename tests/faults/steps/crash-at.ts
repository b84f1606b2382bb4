import { createRequire } from 'node:module';

// Loaded before a stack that is to kill itself: `ATTACHE_TEST_CRASH_AT` names an SQL function, whether it is before or after its commit, and at which call.
// The packages of a bundled stack lie next to its program, those of the sources next to the package that uses them.

/** The part of PGlite by which calls of SQL functions go: messages of Postgres' own protocol. */
type Embedded = { execProtocol(message: Uint8Array, options?: unknown): Promise<unknown> };

const [name = '', moment = '', call = ''] = (process.env.ATTACHE_TEST_CRASH_AT ?? '').split(':');

function findPglite(): string {
  for (const user of [process.argv[1] ?? '', new URL('../../../packages/database/package.json', import.meta.url)]) {
    try {
      return createRequire(user).resolve('@electric-sql/pglite');
    } catch {
      // It is the other one.
    }
  }
  throw new Error('PGlite is neither beside the program nor in the sources');
}

const path = findPglite();
const { PGlite } = (await import(path.replace(/\.cjs$/, '.js'))) as { PGlite: { prototype: Embedded } };
const inherited = PGlite.prototype.execProtocol;

const PARSE = 'P'.charCodeAt(0);
const BIND = 'B'.charCodeAt(0);

/** The two texts that follow the head of a message, as in `Parse` (statement, query) and `Bind` (portal, statement). */
function readTexts(message: Uint8Array): [string, string] {
  const [first = '', second = ''] = Buffer.from(message.subarray(5, 5 + 400))
    .toString('latin1')
    .split('\0');
  return [first, second];
}

const prepared = new Set<string>();
let count = 0;

function isCallOf(message: Uint8Array): boolean {
  const [first, second] = readTexts(message);
  if (message[0] === PARSE && second.includes(`${name}(`)) prepared.add(first);
  return message[0] === BIND && prepared.has(second);
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // A signal to oneself is taken before the next statement.
  throw new Error('the process is dead');
}

PGlite.prototype.execProtocol = async function execProtocol(this: Embedded, message, options) {
  const isCall = isCallOf(message);
  if (isCall) count += 1;
  const isLast = isCall && count === Number(call);
  if (isLast && moment === 'before') die();
  const answer = await inherited.call(this, message, options);
  if (isLast && moment === 'after') die();
  return answer;
};
