/** One participant of a session, and what they may do there, such as `attachments:write`. */
export type Participant = { sessionId: string; externalUserId: string; rights: readonly string[] };

type Kept = { token: Promise<string>; until: number };

const TTL_SECONDS = 900;
const KEPT_MS = (TTL_SECONDS / 2) * 1_000;

/** Tokens of participants: each is made once, used for half of its life, and forgotten when the service refuses it. */
export type SessionTokens = { read(participant: Participant): Promise<string>; forget(participant: Participant): void };

/** The service refused to make a token; its message holds the whole answer, which is for the operator. */
export class TokenRefusedError extends Error {
  readonly response: Response;
  readonly text: string;
  constructor(response: Response, text: string) {
    super(`the service made no token: ${response.status} ${text}`);
    this.response = response;
    this.text = text;
  }
}

/** The same text for the same person with the same rights. */
export function nameParticipant({ sessionId, externalUserId, rights }: Participant): string {
  return JSON.stringify([sessionId, externalUserId, [...rights].sort()]);
}

export function createSessionTokens({ baseUrl, key }: { baseUrl: string; key: string }): SessionTokens {
  const kept = new Map<string, Kept>();
  const make = async ({ sessionId, externalUserId, rights }: Participant) => {
    const response = await fetch(`${baseUrl}/v1/sessions/${encodeURIComponent(sessionId)}/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'accept-encoding': 'identity' },
      body: JSON.stringify({ externalUserId, rights, ttlSeconds: TTL_SECONDS }),
    });
    if (response.status !== 201) throw new TokenRefusedError(response, await response.text());
    return ((await response.json()) as { token: string }).token;
  };
  return {
    read(participant) {
      const now = performance.now();
      for (const [name, { until }] of kept) if (until <= now) kept.delete(name);
      const name = nameParticipant(participant);
      const found = kept.get(name);
      if (found) return found.token;
      const token = make(participant);
      kept.set(name, { token, until: now + KEPT_MS });
      // A refusal is no token, and the next request asks again.
      token.catch(() => kept.delete(name));
      return token;
    },
    forget: (participant) => void kept.delete(nameParticipant(participant)),
  };
}
