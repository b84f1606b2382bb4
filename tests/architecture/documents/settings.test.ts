import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { capabilitySchema, deliveryPlanSchema, sessionSchema, targetSchema } from '@attache/contracts';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../source/source-files.ts';

const isFlag = /feature|enable|disable|flag|experiment|beta|toggle|rollout/i;

/** Every property that a JSON Schema names, at any depth. */
function namesOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { properties?: object };
  return [...Object.keys(properties), ...Object.values(schema).flatMap(namesOf)];
}

it('there are no feature flags: what a target takes is the only gate [DL-94]', () => {
  const documented = readFileSync(join(repositoryRoot, 'docs/configuration.md'), 'utf8');
  const names = new Set([...documented.matchAll(/ATTACHE_[A-Z0-9_]+/g)].map(([name]) => name));
  expect(names.size).toBeGreaterThan(20);
  expect([...names].filter((name) => isFlag.test(name))).toEqual([]);
});

it('nor does a profile, a session, a target or a plan have one [DL-94]', () => {
  const profiles = JSON.parse(readFileSync(join(repositoryRoot, 'docs/profiles.schema.json'), 'utf8'));
  const schemas = [sessionSchema, targetSchema, capabilitySchema, deliveryPlanSchema];
  const names = [...namesOf(profiles), ...schemas.flatMap(({ shape }) => Object.keys(shape))];
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => isFlag.test(name))).toEqual([]);
});

it('nor does the planner know anything but its input: it reads no setting and no environment [DL-94]', () => {
  const folder = join(repositoryRoot, 'packages/domain/src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.(test|spec))\.ts$/.test(file),
  );
  const reading = files.filter((file) =>
    /process\.|from '[^']*(?:@attache\/process-setup|settings)/.test(readFileSync(join(folder, file), 'utf8')),
  );
  expect(files.length).toBeGreaterThan(40);
  expect(reading).toEqual([]);
});
