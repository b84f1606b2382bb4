import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { busDataSchemas, subjects, subjectsOfConsumer } from './bus-messages.ts';

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
      expect(required).toHaveLength(Object.keys(properties).length);
    },
  );

  it.each(['*', '>', 'a.b', 'a b', '', 'ten_AAAAAAAAAAAAAAAAAAAAAA', "x' or true"])(
    'refuse %j as the id of a tenant [S28]',
    (tenantId) => {
      const sessionId = '0199a1b2-c3d4-7e5f-8a6b-000000000001';
      expect(busDataSchemas['session.ended'].safeParse({ tenantId, sessionId }).success).toBe(false);
    },
  );
});
