import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const echo = (text: string | null) => sql`select to_jsonb(${text}::text)`;
const divide = (by: number) => sql`select to_jsonb(12 / ${by}::int)`;

/** Statements that answer one jsonb value. */
export function describeCalls({ useDb }: DatabaseSuite): void {
  it.each([`it's "quoted" \\ $1; --`, 'ü € 😀', '', null])('take %j as a value, whatever is in it', async (text) => {
    expect(await useDb().call(echo(text))).toBe(text);
  });

  it('answer numbers and objects as such, and nothing as null', async () => {
    expect(await useDb().call(divide(5))).toBe(2);
    expect(await useDb().call(sql`select jsonb_build_object('a', ${1}::int)`)).toEqual({ a: 1 });
    expect(await useDb().call(sql`select '1'::jsonb where ${1}::int = 2`)).toBeNull();
  });

  it('that fail leave the next ones unharmed, also the same statement', async () => {
    const answers = await Promise.allSettled([
      useDb().call(divide(1)),
      useDb().call(divide(0)),
      useDb().call(sql`select to_jsonb(no_such_function(${1}))`),
      useDb().call(sql`select to_jsonb(no_such_function(${1}))`),
      useDb().call(divide(2)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled']);
    expect(await useDb().call(divide(3))).toBe(4);
  });
}
