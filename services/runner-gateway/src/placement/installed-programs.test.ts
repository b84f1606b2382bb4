import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Profile, profileSchema } from '@attache/contracts';
import { createLogger } from '@attache/telemetry';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { watchInstalled } from './installed-programs.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-installed-'));
});
afterAll(() => rm(folder, { recursive: true }));

const install = async (name: string) => {
  await writeFile(join(folder, name), '#!/bin/sh\n');
  await chmod(join(folder, name), 0o755);
};

const profileOf = (program: string) => profileSchema.parse({ runtime: 'acp', command: [program] });

it('are the profiles whose programs are on the search path, or come with the product', async () => {
  await install('there');
  const profiles: Record<string, Profile> = {
    one: profileOf('there'),
    bundled: profileOf('attache-example-agent'),
    missing: profileOf('not-there'),
  };
  const settings = {
    bundledPrograms: { 'attache-example-agent': [process.execPath, '/agent.js'] },
    readVariable: (name: string) => (name === 'PATH' ? folder : undefined),
  };
  const programs = await watchInstalled({
    profiles,
    settings,
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  expect(programs.names()).toEqual(['one', 'bundled']);
  await install('not-there');
  profiles.late = profileOf('there');
  expect(programs.names()).toEqual(['one', 'bundled']);
  await programs.look();
  expect(programs.names()).toEqual(['one', 'bundled', 'missing', 'late']);
  await rm(join(folder, 'there'));
  await programs.look();
  expect(programs.names()).toEqual(['bundled', 'missing']);
  programs.stop();
});
