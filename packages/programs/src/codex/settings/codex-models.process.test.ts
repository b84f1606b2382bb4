import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { givenSpec } from '@attache/agent-process/given-spec';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { codexAppServerSettings } from './codex-settings.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-codex-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const listed = [
  { slug: 'gpt-5.5', input_modalities: ['text', 'image'], context_window: 1 },
  { slug: 'gpt-x', input_modalities: ['text'], context_window: 2 },
];

async function tellCodex(model: string, audio: 'yes' | 'unknown') {
  const program = path.join(root, 'codex');
  await writeFile(program, `#!/bin/sh\necho '${JSON.stringify({ models: listed })}'\n`, { mode: 0o700 });
  const spec = givenSpec({ command: [program], folder: root, model, modelTakes: { audio } });
  return await codexAppServerSettings(spec, { PATH: '/usr/bin:/bin' });
}

it.each([
  ['gpt-x', 2],
  ['unlisted', 1],
])('hands Codex its own catalog back, with sound for the model %s', async (model, contextWindow) => {
  const { args, files } = await tellCodex(model, 'yes');
  const file = path.join(root, 'config', 'models.json');
  expect(args).toContain(`model_catalog_json=${JSON.stringify(file)}`);
  const hearing = { slug: model, input_modalities: ['text', 'image', 'audio'], context_window: contextWindow };
  const others = listed.filter(({ slug }) => slug !== model);
  expect(files).toContainEqual({ path: file, json: { models: [...others, hearing] } });
});

it('leaves its catalog alone where nobody said that the model hears', async () => {
  const { args, files } = await tellCodex('gpt-x', 'unknown');
  expect(files.map(({ path: each }) => path.basename(each))).not.toContain('models.json');
  expect(args.join()).not.toContain('model_catalog_json');
});
