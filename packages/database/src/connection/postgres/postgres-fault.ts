import { Fault } from '@attache/contracts';

const wrongPassword = new Set(['28P01', '28000']);

/** The advice for a server that could not be reached or entered, in one sentence. `variable` holds its URL. */
function describeConnectFault(error: unknown, url: string, variable: string): string {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const { host, database, user } = readPlace(url);
  if (wrongPassword.has(code))
    return `Postgres at ${host} refuses the login ${user}: check user and password in ${variable}.`;
  if (code === '3D000')
    return `Postgres at ${host} has no database "${database}": create it, or name another one in ${variable}.`;
  if (code === '42501')
    return `Postgres at ${host} does not let the login ${user} into the database "${database}": grant CONNECT, or use another login in ${variable}.`;
  if (code === '53300')
    return `Postgres at ${host} has no free connection: raise its max_connections, or lower ATTACHE_DATABASE_POOL_SIZE.`;
  if (code === '57P03') return `Postgres at ${host} is starting or stopping: start this process again when it is up.`;
  const why = code === '' ? message : code;
  return `Postgres at ${host} does not answer (${why}): start it, or correct ${variable}.`;
}

export function connectFault(error: unknown, url: string, variable: string): Fault {
  return new Fault('CONFIGURATION_INVALID', describeConnectFault(error, url, variable), { cause: error });
}

/** Host, database and login of a URL; never its password. */
export function readPlace(url: string): { host: string; database: string; user: string } {
  try {
    const { host, pathname, username } = new URL(url);
    return { host, database: decodeURIComponent(pathname.slice(1)), user: decodeURIComponent(username) };
  } catch {
    return { host: 'an unreadable address', database: '', user: '' };
  }
}
