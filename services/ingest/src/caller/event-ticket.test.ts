import { randomBytes, randomUUID } from 'node:crypto';
import type { SigningKeys } from '@attache/intake';
import { describe, expect, it } from 'vitest';
import { createEventTicket, readEventTicket, TICKET_SECONDS } from './event-ticket.ts';
import { signSessionToken } from './session-token.ts';

const keys: SigningKeys = [{ kid: 'k1', secret: randomBytes(32) }];
const [tenantId, sessionId, keyId] = [randomUUID(), randomUUID(), randomUUID()];
const token = { tenantId, sessionId, userId: randomUUID(), rights: ['events:read' as const], expiresAt: 0 };
const now = () => Date.now() / 1000;

const make = (nowSeconds = now()) => createEventTicket(keys, { tenantId, sessionId, maker: { keyId }, nowSeconds });
const refused = expect.objectContaining({ code: 'UNAUTHENTICATED' });

describe('a ticket', () => {
  it('is of its session and its maker, and no two are the same', () => {
    const { ticket } = make();
    expect(readEventTicket(keys, ticket, sessionId)).toMatchObject({ tenantId, sessionId, maker: { keyId } });
    expect(make().ticket).not.toBe(ticket);
    for (const other of [randomUUID(), undefined]) expect(() => readEventTicket(keys, ticket, other)).toThrow(refused);
  });

  it('lasts half a minute, or as long as the token that made it', () => {
    const { ticket, expiresAt } = make(now() - TICKET_SECONDS);
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now());
    expect(() => readEventTicket(keys, ticket, sessionId)).toThrow(refused);
    const end = Math.floor(now()) + 5;
    const short = { tenantId, sessionId, maker: { token: { ...token, expiresAt: end } }, nowSeconds: now() };
    expect(Date.parse(createEventTicket(keys, short).expiresAt)).toBe(end * 1000);
  });

  it('is no session token, and a session token is no ticket, whatever it begins with', () => {
    const signed = signSessionToken(keys, { ...token, expiresAt: now() + 60 });
    for (const other of [
      signed,
      signed.replace('ats_', 'ate_'),
      '',
      'ate_',
      `${make().ticket}x`,
      make().ticket.slice(4),
    ])
      expect(() => readEventTicket(keys, other, sessionId)).toThrow(refused);
    const [payload = '', mac = ''] = make().ticket.slice(4).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const raised = Buffer.from(JSON.stringify({ ...claims, expiresAt: claims.expiresAt + 1 })).toString('base64url');
    expect(() => readEventTicket(keys, `ate_${raised}.${mac}`, sessionId)).toThrow(refused);
    const foreign: SigningKeys = [{ kid: 'k1', secret: randomBytes(32) }];
    expect(() => readEventTicket(foreign, make().ticket, sessionId)).toThrow(refused);
  });
});
