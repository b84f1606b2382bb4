import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  busDataSchemas,
  busSubjectOf,
  consumerOfSubject,
  deltaSubjectOf,
  eventsSubjectOf,
  logBellSubjectOf,
  subjects,
  subjectsOfConsumer,
  subjectsOfPublisher,
} from './bus-messages.ts';

describe('bus messages', () => {
  it('belong to exactly one consumer each', () => {
    const owned: string[] = Object.values(subjectsOfConsumer).flat();
    expect(owned.toSorted()).toEqual([...subjects].toSorted());
  });

  it.each(subjects)(
    '%s holds stored ids and nothing else, the tenant and session among them [SR-24 DL-98]',
    (subject) => {
      const { properties = {}, required = [] } = z.toJSONSchema(busDataSchemas[subject]);
      expect(Object.values(properties)).toEqual(
        Object.keys(properties).map(() => expect.objectContaining({ format: 'uuid' })),
      );
      expect(required).toEqual(expect.arrayContaining(['tenantId', 'sessionId']));
      // Messages of earlier releases lack it.
      const added = Object.keys(properties).filter((name) => !required.includes(name));
      expect(['', 'agentId']).toContain(added.join());
    },
  );

  it.each(['*', '>', 'a.b', 'a b', '', 'ten_AAAAAAAAAAAAAAAAAAAAAA', "x' or true"])(
    'refuse %j as the id of a tenant [S28]',
    (tenantId) => {
      const sessionId = '0199a1b2-c3d4-7e5f-8a6b-000000000001';
      expect(busDataSchemas['session.ended'].safeParse({ tenantId, sessionId }).success).toBe(false);
    },
  );

  it.each(subjects)('%s has a publisher, and a broker subject of plain tokens under its consumer [S28]', (subject) => {
    const published: string[] = Object.values(subjectsOfPublisher).flat();
    expect(published).toContain(subject);
    const owned: readonly string[] = subjectsOfConsumer[consumerOfSubject(subject)];
    expect(owned).toContain(subject);
    expect(busSubjectOf(subject)).toBe(`attache.work.${consumerOfSubject(subject)}.${subject}`);
    expect(busSubjectOf(subject)).toMatch(/^[a-z-]+(\.[a-z-]+)+$/);
  });

  it.each([
    '*',
    '>',
    'a.b',
    'a b',
    '',
    'ses_AAAAAAAAAAAAAAAAAAAAAA',
    '0199a1b2-c3d4-7e5f-8a6b-000000000001.>',
    '0199a1b2-c3d4-7e5f-8a6b-000000000001\r\nPUB x 0',
  ])('let %j into no subject [S28]', (sessionId) => {
    expect(() => logBellSubjectOf(sessionId)).toThrow('uuid');
    expect(() => deltaSubjectOf(sessionId)).toThrow('uuid');
    expect(() => eventsSubjectOf(sessionId)).toThrow('uuid');
  });

  it('name the doorbell and the deltas of a session by its uuid', () => {
    const sessionId = '0199A1B2-c3d4-7e5f-8a6b-000000000001';
    expect(logBellSubjectOf(sessionId)).toBe('attache.bell.log.0199a1b2-c3d4-7e5f-8a6b-000000000001');
    expect(deltaSubjectOf(sessionId)).toBe('attache.delta.0199a1b2-c3d4-7e5f-8a6b-000000000001');
    expect(eventsSubjectOf(sessionId)).toBe('attache.events.0199a1b2-c3d4-7e5f-8a6b-000000000001');
  });
});
