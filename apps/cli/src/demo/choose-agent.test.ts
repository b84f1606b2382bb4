import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { profileSchema } from '@attache/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../exit-codes.ts';
import { chooseAgent } from './choose-agent.ts';

const bin = mkdtempSync(join(tmpdir(), 'attache-demo-'));
afterAll(() => rmSync(bin, { recursive: true, force: true }));
writeFileSync(join(bin, 'codex'), '#!/bin/sh\n');
chmodSync(join(bin, 'codex'), 0o755);

const profiles = {
  example: profileSchema.parse({ runtime: 'acp', command: ['bundled-agent'] }),
  codex: profileSchema.parse({ runtime: 'codex-app-server', command: ['codex'], provider: 'openai' }),
  named: profileSchema.parse({ runtime: 'codex-app-server', command: ['codex'], provider: 'openai', model: 'mine' }),
  gone: profileSchema.parse({ runtime: 'acp', command: ['/no/such/agent'] }),
};
const offered = { profiles, bundledPrograms: { 'bundled-agent': ['node'] }, inherited: { PATH: bin } };
const choose = (name: string, model?: string) => chooseAgent(offered, name, model);

describe('the agent of a demo', () => {
  it.each([
    ['its own model', 'named', undefined, 'mine'],
    ['the model that a person names', 'named', 'theirs', 'theirs'],
    ['a usual model of its provider where nobody names one', 'codex', undefined, 'gpt-5.5'],
    ['no model where its provider is not known', 'example', undefined, undefined],
  ])('has %s', async (_, name, given, model) => {
    expect(await choose(name, given)).toMatchObject({ status: 'chosen', agent: { profile: name, model } });
  });

  it.each([
    ['of a program that is not there', 'gone', exitCodes.dependencyDown, '/no/such/agent'],
    ['that is known and not on PATH', 'claude', exitCodes.dependencyDown, 'claude is not on PATH. Install it'],
    ['that nobody knows', 'nobody', exitCodes.usage, 'Name one of: example, codex, named, gone.'],
  ])('%s is told with what to do', async (_, name, exitCode, said) => {
    expect(await choose(name)).toMatchObject({ exitCode, sentence: expect.stringContaining(said) });
  });
});
