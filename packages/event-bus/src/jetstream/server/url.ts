import { Fault } from '@attache/contracts';

export type NatsServers = {
  /** `host:port`, without credentials: may be shown to anyone. */
  servers: string[];
  user?: string;
  pass?: string;
  token?: string;
  isTls: boolean;
};

const refuse = (cause?: unknown) =>
  new Fault('CONFIGURATION_INVALID', 'ATTACHE_NATS_URL is no list of nats:// or tls:// addresses.', { cause });

function parseServer(text: string): URL {
  if (!/^(nats|tls):\/\//.test(text) || !URL.canParse(text)) throw refuse();
  const url = new URL(text);
  if (url.hostname === '') throw refuse();
  return url;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse();
  }
}

/** Reads `nats://user:password@host:port[,…]`; the credentials of the first address hold for all. A user alone is a token. */
export function parseNatsUrl(text: string): NatsServers {
  const urls = text.split(',').map((part) => parseServer(part.trim()));
  const [first] = urls;
  const [user, pass] = [decode(first?.username ?? ''), decode(first?.password ?? '')];
  const credentials = pass !== '' ? { user, pass } : user !== '' ? { token: user } : {};
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    ...credentials,
    isTls: urls.some(({ protocol }) => protocol === 'tls:'),
  };
}
