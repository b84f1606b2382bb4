import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type CommandEnd, cli, copyTemplateFolder } from '@attache/test-harness';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listInstalled } from './src/agents-stack.ts';
import { png } from './src/files.ts';
import { profileOf } from './src/runtimes.ts';
import { makeSizedPicture } from './src/sizes/sized-pictures.ts';
import { type ModelStub, startModelStub } from './src/stub/model-stub.ts';

const PHOTO_BYTES = 3_000_000;
const fromSources = [fileURLToPath(new URL('../../infra/demo.ts', import.meta.url))];
const asShipped = [cli, 'demo'];
const runtimes = await listInstalled(process.env);
// `npm run demo` brings the command line its sources: once is enough to see that.
const shown = runtimes.map((runtime, index) => ({ ...runtime, command: index === 0 ? fromSources : asShipped }));
let folder: string;
let stub: ModelStub;

beforeAll(async () => {
  stub = await startModelStub();
  folder = await mkdtemp(join(tmpdir(), 'attache-demo-'));
  await writeFile(join(folder, 'picture.png'), png.bytes);
  await mkdir(join(folder, 'data'));
  await rename(await copyTemplateFolder(), join(folder, 'data', 'demo'));
  const profiles = runtimes.flatMap((runtime) => [
    [runtime.key, profileOf(runtime, runtime.installed.program, stub.url, 'everything')],
    [`${runtime.key}-text`, profileOf(runtime, runtime.installed.program, stub.url, 'text')],
  ]);
  await writeFile(join(folder, 'profiles.json'), JSON.stringify({ profiles: Object.fromEntries(profiles) }));
});
afterEach(() => stub.script(() => ({ text: 'I see a picture.' })));
afterAll(async () => {
  await stub?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function runDemo(command: readonly string[], options: string[], picture = 'picture.png'): Promise<CommandEnd> {
  const env = {
    PATH: process.env.PATH ?? '',
    ...{ ATTACHE_PROFILES: join(folder, 'profiles.json'), STUB_KEY: 'sk-test-key-of-the-stub' },
    ...{ ATTACHE_DATA_DIR: join(folder, 'data'), INIT_CWD: folder },
  };
  const child = spawn(process.execPath, [...command, picture, ...options], {
    ...{ env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 170_000, killSignal: 'SIGKILL' },
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { exitCode, stdout, stderr };
}

describe.skipIf(runtimes.length === 0)('the demo with a real agent (npm run agents installs them)', () => {
  it.each(shown)(
    'shows $key from the upload to what it says; its model got the very bytes [BX-03]',
    async ({ key, command }) => {
      const before = stub.requests.length;
      stub.script(({ newAttachments }) => ({ text: `That makes ${newAttachments.length} attachment.` }));
      const { exitCode, stdout, stderr } = await runDemo(command, ['--profile', key]);
      expect(exitCode, stdout + stderr).toBe(0);
      expect(stdout).toMatch(/^The agent says\n {2}That makes 1 attachment\.$/m);
      expect(stdout).toMatch(/^Receipt\n.+\n {2}att_\S+ {2}native .+ delivered\n {4}sha256 /m);
      expect(stdout).toContain(`sha256 ${png.sha256}`);
      expect(stdout).toContain('proof: wire; the same bytes left for the provider');
      expect(stdout).toMatch(/^Timeline\n(.+\n)+.+ responded /m);
      expect(stdout).toMatch(/^Trace \w+ \(one connected tree\)\n {2}demo /m);
      const asked = stub.requests.slice(before).filter(({ isSide }) => !isSide);
      expect(asked.flatMap(({ newAttachments }) => newAttachments).map(({ sha256 }) => sha256)).toEqual([png.sha256]);
    },
  );

  // Larger than Claude Code sends as it is: what it gets is made before.
  it.each(runtimes.filter(({ key: each }) => each === 'claude'))(
    'sends a photo of 3 MB by $key, and the digest of its receipt is what the model got [BX-03 DL-36 DL-40]',
    async () => {
      const photo = await makeSizedPicture('jpeg', PHOTO_BYTES);
      await writeFile(join(folder, 'photo.jpg'), photo);
      const before = stub.requests.length;
      const { exitCode, stdout, stderr } = await runDemo(asShipped, ['--profile', 'claude'], 'photo.jpg');
      expect(exitCode, stdout + stderr).toBe(0);
      const [, receipted] =
        /^Receipt\n.+\n {2}att_\S+ {2}variant .+ delivered\n {4}sha256 (\w{64})$/m.exec(stdout) ?? [];
      const asked = stub.requests.slice(before).filter(({ isSide }) => !isSide);
      const arrived = asked.flatMap(({ newAttachments }) => newAttachments);
      expect(arrived.map(({ sha256 }) => sha256)).toEqual([receipted]);
      expect(receipted).not.toBe(hash('sha256', photo));
    },
  );

  // One program reports no status of a refusal: it is taken if no other one is installed.
  const first = runtimes.find(({ refusals }) => refusals[401] === 'delivery_agent_auth_required') ?? runtimes[0];
  const { key = '', refusals = {} } = first ?? {};

  it('ends with 5 where the model takes no images, and nothing was sent', async () => {
    const before = stub.requests.length;
    const { exitCode, stdout } = await runDemo(asShipped, ['--profile', `${key}-text`]);
    expect(exitCode).toBe(5);
    expect(stdout).toContain('attachment_model_vision_unsupported');
    expect(stub.requests.slice(before)).toEqual([]);
  });

  it('ends with 6 where the key is refused, and says what to do', async () => {
    stub.script(() => ({ status: 401, error: { type: 'authentication_error', message: 'invalid x-api-key' } }));
    const { exitCode, stdout } = await runDemo(asShipped, ['--profile', key]);
    expect(exitCode).toBe(6);
    const code = refusals[401] ?? 'no code';
    const remedy = code === 'delivery_agent_auth_required' ? " give the profile's endpoint a key" : '';
    expect(stdout).toMatch(new RegExp(`^The delivery failed\\n {2}${code}: .+${remedy}`, 'm'));
    expect(stdout.includes('"apiKey": "env:STUB_KEY"')).toBe(remedy !== '');
    expect(stdout).not.toContain('sk-test-key');
  });
});

it('ends with 2 where a profile is not offered or the options do not go together', async () => {
  const unknown = await runDemo(asShipped, ['--profile', 'nobody']);
  expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('There is no profile nobody.') });
  const torn = await runDemo(asShipped, ['--profile', 'claude', '--text-only-model']);
  expect(torn).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('leave them out') });
});
