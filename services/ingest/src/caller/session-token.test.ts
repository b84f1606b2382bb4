import { randomBytes, randomUUID } from 'node:crypto';
import { isFault } from '@attache/contracts';
import type { Database } from '@attache/database';
import type { SigningKeys } from '@attache/intake';
import { describe, expect, it } from 'vitest';
import { authenticateSessionToken, readSessionToken, signSessionToken } from './session-token.ts';

const keys: SigningKeys = [{ kid: 'k1', secret: randomBytes(32) }];
const claims = {
  tenantId: randomUUID(),
  sessionId: randomUUID(),
  userId: randomUUID(),
  rights: ['attachments:read' as const, 'attachments:write' as const],
  expiresAt: Math.floor(Date.now() / 1000) + 60,
};

// A database that returns the participant's present rights; the row's own rules are shown on the real database.
const databaseWith = (found: object | null) => ({ call: async () => found }) as unknown as Database;
const present = databaseWith({
  ...{ rights: ['attachments:read', 'events:read'], maxUploadBytes: null, urlGeneration: 1, isSessionEnded: false },
});

async function outcomeOf(credential: string, db = present) {
  try {
    return [...(await authenticateSessionToken(db, readSessionToken(keys, credential))).rights];
  } catch (error) {
    return isFault(error) && error.code;
  }
}

describe('a session token', () => {
  it('opens one session, with those of its rights that the participant still has', async () => {
    const caller = await authenticateSessionToken(present, readSessionToken(keys, signSessionToken(keys, claims)));
    expect(caller).toMatchObject({ tenantId: claims.tenantId, onlySessionId: claims.sessionId, isTrusted: false });
    expect([...caller.rights]).toEqual(['attachments:read']);
  });

  it('ends at its time', async () => {
    const expired = signSessionToken(keys, { ...claims, expiresAt: Math.floor(Date.now() / 1000) });
    expect(await outcomeOf(expired)).toBe('UNAUTHENTICATED');
  });

  it('ends with the participant', async () => {
    expect(await outcomeOf(signSessionToken(keys, claims), databaseWith(null))).toBe('UNAUTHENTICATED');
  });

  it('is refused where anything of it was changed', async () => {
    const token = signSessionToken(keys, claims);
    const payload = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const mac = token.split('.')[1];
    const forged = [
      `ats_${payload({ ...claims, kid: 'k1', userId: randomUUID() })}.${mac}`,
      `ats_${payload(null)}.${mac}`,
    ];
    const broken = ['ats_', 'ats_x.y', `${token}x`, token.slice(0, -1), token.replace('ats_', 'ats_a')];
    for (const credential of [...forged, ...broken]) expect(await outcomeOf(credential)).toBe('UNAUTHENTICATED');
  });

  it('is refused where it was made under another secret or a key that was retired', async () => {
    const foreign: SigningKeys = [{ kid: 'k1', secret: randomBytes(32) }];
    const retired: SigningKeys = [{ kid: 'k0', secret: randomBytes(32) }];
    expect(await outcomeOf(signSessionToken(foreign, claims))).toBe('UNAUTHENTICATED');
    expect(await outcomeOf(signSessionToken(retired, claims))).toBe('UNAUTHENTICATED');
  });
});
