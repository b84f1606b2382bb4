import { describe, expect, it } from 'vitest';
import { type RouteRule, routes } from '../routes.ts';
import { type Right, rights, rightsOfScope, rightsOfScopes, scopeSchema, sessionRights } from './rights.ts';

const rules: [string, RouteRule][] = Object.entries(routes);

describe('routes', () => {
  it.each(rules)('%s names its gate, and the right that it needs', (_name, rule) => {
    expect(rule.right === undefined).toBe(rule.gate === 'signature');
    if (rule.right !== undefined) expect(rights).toContain(rule.right);
  });

  it.each(rules)('%s is gated by what its path names [AT-15 AT-23]', (_name, { path, gate }) => {
    const parameterOf = {
      tenant: undefined,
      key: 'keyId',
      profile: 'profile',
      secret: 'name',
      session: 'sessionId',
      attachment: 'attachmentId',
      message: 'messageId',
      delivery: 'deliveryId',
    };
    const [named] = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    expect(named).toBe(gate === 'signature' ? 'attachmentId' : parameterOf[gate]);
  });

  it('have one rule for each method and path', () => {
    const places = rules.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(new Set(places).size).toBe(places.length);
  });

  it('read bytes by signature alone, and by no other credential [AT-19 AT-23]', () => {
    const bySignature = rules.filter(([, { gate }]) => gate === 'signature').map(([name]) => name);
    expect(bySignature).toEqual(['readRaw']);
  });

  it('let a client upload, show, sign and delete a file, and say nothing of what it is: the system owns that [SR-12]', () => {
    const named = rules.filter(([, { path }]) => path.includes('/attachments'));
    const changing = named.filter(([, { method }]) => method !== 'get').map(([name]) => name);
    const adding = ['uploadMultipart', 'uploadRaw'];
    // Its one field is the encoding of a text, which is held against the bytes.
    expect(changing).toEqual([
      ...adding,
      'changeAttachment',
      'deleteAttachment',
      'endQuarantine',
      'createUrl',
      'endUrls',
    ]);
    for (const name of adding) expect(rules.find(([each]) => each === name)?.[1].path).not.toContain('{attachmentId}');
  });

  it('need no read right to change something', () => {
    const reading: (Right | undefined)[] = ['attachments:read', 'events:read', 'completion:read'];
    // A ticket opens what its maker may read.
    const changing = rules.filter(([name, { method }]) => method !== 'get' && name !== 'createEventTicket');
    expect(changing.filter(([, { right }]) => reading.includes(right))).toEqual([]);
  });
});

describe('scopes', () => {
  it('hold each other from read to admin, and nothing beyond the known rights', () => {
    const ordered = ['read', 'attachments', 'sessions', 'admin'] as const;
    expect(ordered.toSorted()).toEqual(scopeSchema.options.toSorted());
    ordered.slice(1).forEach((scope, index) => {
      const smaller = rightsOfScope[ordered[index] ?? 'admin'];
      expect(rightsOfScope[scope]).toEqual(expect.arrayContaining([...smaller]));
      expect(rightsOfScope[scope].length).toBeGreaterThan(smaller.length);
    });
    expect(rightsOfScope.admin).toEqual(rights);
  });

  it('of reading change nothing, and none but admin overrides a capability or manages keys [DL-66]', () => {
    expect(rightsOfScope.read.every((right) => right.endsWith(':read'))).toBe(true);
    for (const scope of ['read', 'attachments', 'sessions'] as const) {
      expect(rightsOfScope[scope]).not.toContain('overrides:manage');
      expect(rightsOfScope[scope]).not.toContain('keys:manage');
      expect(rightsOfScope[scope]).not.toContain('tenant:manage');
    }
  });

  it('add up, each right once', () => {
    expect([...rightsOfScopes(['read', 'attachments'])]).toEqual(rightsOfScope.attachments);
    expect(rightsOfScopes([]).size).toBe(0);
  });
});

describe('rights of a session token', () => {
  it('are those inside one session: it makes no session, key or tenant', () => {
    const outside = rights.filter((right) => !sessionRights.some((inside) => inside === right));
    expect(outside).toEqual(['sessions:manage', 'keys:manage', 'tenant:manage']);
  });
});
