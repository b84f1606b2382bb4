import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { agentNames } from './agent-table.ts';
import { ensureAgents } from './ensure-agents.ts';
import { findAgents } from './find-agents.ts';

let root: string;
let bin: string;
let cacheFolder: string;
let codexFolder: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'attache-agents-'));
  bin = join(root, 'bin');
  cacheFolder = join(root, 'cache');
  codexFolder = join(cacheFolder, 'agents', 'codex-0.169.0');
  await mkdir(bin);
  onTestFinished(() => rm(root, { recursive: true, force: true }));
});

// Only the npm of this test is on PATH.
const environmentOf = () => ({ PATH: bin, HOME: root, LOG: join(root, 'npm.log') });

const INSTALL_CODEX = `/bin/mkdir -p node_modules/.bin node_modules/@openai/codex
echo '{"version":"0.169.0"}' > node_modules/@openai/codex/package.json
printf '#!/bin/sh\\n' > node_modules/.bin/codex; /bin/chmod 755 node_modules/.bin/codex`;

/** An npm that notes how it was run and installs what the script says. */
const addNpm = (script = INSTALL_CODEX) =>
  writeFile(join(bin, 'npm'), `#!/bin/sh\necho "$*" >> "$LOG"\n${script}\n`, { mode: 0o755 });

const readLog = async () => (await readFile(join(root, 'npm.log'), 'utf8')).trim().split('\n');

const names = ['codex'] as const;
const ensure = (onProgress: (line: string) => void = () => {}) =>
  ensureAgents({ names, cacheFolder, environment: environmentOf(), onProgress });

const installed = () => ({
  found: [{ name: 'codex', version: '0.169.0', program: join(codexFolder, 'node_modules/.bin/codex') }],
  missing: [],
});

describe('an agent that is not there', () => {
  it('is told by name, and nothing is installed, where it is only searched', async () => {
    await addNpm();
    const { found, missing } = await findAgents({ cacheFolder });
    expect(found).toEqual([]);
    expect(missing.map(({ name }) => name)).toEqual(agentNames);
    expect(missing[1]?.why).toBe(`codex 0.169.0 is not in ${codexFolder}: npm run agents installs it.`);
    await expect(readLog()).rejects.toThrow('ENOENT');
  });

  it('is installed once, with progress, and found afterwards', async () => {
    await addNpm();
    const lines: string[] = [];
    expect(await ensure((line) => lines.push(line))).toEqual(installed());
    expect(lines[0]).toBe('installing codex 0.169.0 (1 of 1) …');
    expect(lines.at(-1)).toMatch(/^installed codex 0\.169\.0 \(1 of 1\) in \d+ s$/);
    expect(await ensure()).toEqual(installed());
    expect(await findAgents({ names, cacheFolder })).toEqual(installed());
    expect(await readLog()).toEqual(['install --no-audit --no-fund --save-exact @openai/codex@0.169.0']);
  });

  it('is installed once where two processes want it', async () => {
    await addNpm(`/bin/sleep 0.5\n${INSTALL_CODEX}`);
    const module = JSON.stringify(fileURLToPath(new URL('ensure-agents.ts', import.meta.url)));
    const code = `
      import { ensureAgents } from ${module};
      process.stdout.write(JSON.stringify(await ensureAgents(JSON.parse(process.argv[1]))));`;
    const options = JSON.stringify({ names, cacheFolder, environment: environmentOf() });
    const run = () =>
      spawn(process.execPath, ['--input-type=module', '-e', code, options], { stdio: ['ignore', 'pipe', 'inherit'] });
    const answers = await Promise.all([run(), run()].map(({ stdout }) => text(stdout)));
    expect(answers.map((answer) => JSON.parse(answer))).toEqual([installed(), installed()]);
    expect(await readLog()).toHaveLength(1);
    expect(await readdir(join(cacheFolder, 'agents'))).toEqual(['codex-0.169.0']);
  });

  it('is installed where a process died while it installed, or its folder holds another version', async () => {
    await addNpm();
    await mkdir(`${codexFolder}.draft/node_modules`, { recursive: true });
    await mkdir(join(codexFolder, 'node_modules/@openai/codex'), { recursive: true });
    await writeFile(join(codexFolder, 'node_modules/@openai/codex/package.json'), '{"version":"0.1.0"}');
    expect(await ensure()).toEqual(installed());
    expect(await readdir(join(cacheFolder, 'agents'))).toEqual(['codex-0.169.0']);
  });
});

describe('an agent that cannot be had', () => {
  it('is told with what npm said, and leaves nothing that is found', async () => {
    await addNpm(`${INSTALL_CODEX}\necho "no such package" >&2; exit 3`);
    const { found, missing } = await ensure();
    expect(found).toEqual([]);
    expect(missing[0]?.why).toMatch(
      /^installing codex failed after \d+ s:\nno such package\nnpm install ended with exit code 3$/,
    );
    expect(await readdir(join(cacheFolder, 'agents'))).toEqual([]);
  });

  it('is told where npm left no program', async () => {
    await addNpm('');
    const { missing } = await ensure();
    expect(missing[0]?.why).toContain('npm install succeeded, but left no program codex of @openai/codex 0.169.0');
  });

  it('does not keep the others from being installed', async () => {
    await addNpm(`case "$5" in @openai/*) ${INSTALL_CODEX} ;; *) exit 1 ;; esac`);
    const wanted = ['gemini-cli', 'codex'] as const;
    const result = await ensureAgents({ names: wanted, cacheFolder, environment: environmentOf() });
    expect(result).toMatchObject({ found: installed().found, missing: [{ name: 'gemini-cli' }] });
  });

  it('is told where there is no npm', async () => {
    const { missing } = await ensure();
    expect(missing[0]?.why).toContain('npm install ended with exit code 127');
  });
});
