import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readAgentsConfig, readProfilesConfig } from './agents-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'attache-agents-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, 'profiles.json');
const boxed = { runtime: 'acp', command: ['my-agent'] };
const unnamed = { ...boxed, sandbox: { mode: 'none' } };
const profiles = {
  known: { runtime: 'acp', command: ['gemini', '--acp'] },
  // Its own tools act inside the sandbox.
  boxed,
  silent: unnamed,
  byDefault: { ...unnamed, permissionMode: 'default' },
  vouched: { ...unnamed, ownTools: 'none' },
  trusted: { ...unnamed, permissionMode: 'gated' },
  // Its agents fail to start, and say why: it asked for that.
  strict: { ...unnamed, permissionMode: 'deny' },
};
writeFileSync(file, JSON.stringify({ profiles }));

it.each([
  ['that starts no agents', () => readProfilesConfig(file, {})],
  ['that starts agents', () => readAgentsConfig(file, {}, { needsSecrets: true })],
])(
  'a process %s leaves out what runs without a sandbox and cannot be denied its tools, with one line each [BX-21 BX-22]',
  (_, read) => {
    const { config, warnings } = read();
    const offered = ['known', 'boxed', 'vouched', 'trusted', 'strict'];
    expect(Object.keys(config.profiles)).toEqual(offered);
    expect(warnings).toEqual(
      ['silent', 'byDefault'].map((name) =>
        expect.stringMatching(new RegExp(`^The profile ${name} .+ not offered\\.$`)),
      ),
    );
    const again = config.readProfiles();
    expect([Object.keys(again.profiles), again.warnings]).toEqual([offered, warnings]);
  },
);

it('the example agent is offered without a file', () => {
  expect(Object.keys(readProfilesConfig(undefined, { PATH: '/nowhere' }).config.profiles)).toEqual(['example']);
});
