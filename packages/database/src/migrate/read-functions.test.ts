import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { readFunctions } from './read-functions.ts';

type Release = { number: number; checksum: string; signatures: string[] };

const releases: Release[] = JSON.parse(await readFile(new URL('../../functions.json', import.meta.url), 'utf8'));
const { number, checksum, script } = await readFunctions();
const signatures = [
  ...script.matchAll(/^create or replace function (attache_\w+\([^)]*\) returns [a-z[\] ]+) language/gm),
]
  .map(([, signature = '']) => signature)
  .toSorted();

it('each change of their text is a release of its own', () => {
  const line = JSON.stringify({ number: number + 1, checksum, signatures });
  expect(releases.map((release) => release.number)).toEqual(releases.map((_, index) => index + 1));
  expect(releases.at(-1), `raise FUNCTIONS_NUMBER and add to functions.json: ${line}`).toEqual({
    ...{ number, checksum, signatures },
  });
});

it('a release has every function of the one before, with its arguments', () => {
  const lost = releases.flatMap(({ signatures: kept }, index) =>
    kept.filter((signature) => releases[index + 1]?.signatures.includes(signature) === false),
  );
  expect(lost).toEqual([]);
});

it('is a list of functions and nothing else, so that it can be run again', () => {
  const statements = script.split(/^(?=create |alter |drop |grant |revoke |insert |update |delete |do )/im).slice(1);
  expect(statements.length).toBe(signatures.length);
  expect(statements.filter((statement) => !statement.startsWith('create or replace function attache_'))).toEqual([]);
});

// Its value would be known when a statement is planned, and the plan kept for all tenants.
it('compare with the tenant in a subquery alone [BX-27]', () => {
  expect(script.match(/.*[=<>] *attache_tenant_id\(\).*/g) ?? []).toEqual([]);
});
