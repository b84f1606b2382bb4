import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { catalog } from '@attache/programs/catalog';
import { afterAll, describe, expect, it } from 'vitest';
import { cli } from '../../../../tests/harness/src/stack/program.ts';
import { drawPicture } from '../demo/draw/draw-picture.ts';

const folder = mkdtempSync(join(tmpdir(), 'attache-explain-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const picture = drawPicture();
// 日本語のテキスト, twice, so that its encoding can be recognised.
const shiftJis = Buffer.from('93fa967b8cea82cc8365834c8358836782c582b78142'.repeat(2), 'hex');
const files = {
  'picture.png': picture,
  'picture.jpg': picture,
  'cut.png': picture.subarray(0, 600),
  'letter.txt': shiftJis,
  // An archive with nothing in it.
  'box.zip': Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]),
  'empty.txt': Buffer.alloc(0),
};
for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
mkdirSync(join(folder, 'papers'));
symlinkSync('loop', join(folder, 'loop'));
const laidOut = readdirSync(folder).toSorted();

type End = { exitCode: unknown; stdout: string; stderr: string };

const explain = (...args: string[]) => explainWith({}, ...args);

function explainWith(settings: Record<string, string>, ...args: string[]): Promise<End> {
  const env = { PATH: '/nowhere', INIT_CWD: folder, ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, 'explain', ...args], { env, cwd: folder }, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

const onExample = (file: string, ...args: string[]) => explain(file, '--profile', 'example', ...args);

describe('attache explain', () => {
  it('says for people what the file is and what the target would get, and leaves nothing behind [DL-01]', async () => {
    const { exitCode, stdout, stderr } = await onExample('picture.png');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^picture\.png\n {2}image\/png; kind image; .+\n {2}960 × 640 pixels\n\nTARGET/);
    expect(stdout).toMatch(/^profile example .+ native +yyyyy/m);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(stdout).not.toContain('\u001b');
    expect(readdirSync(folder).toSorted()).toEqual(laidOut);
  });

  it.each([
    [
      'a model that takes no images',
      ['picture.png', '--profile', 'example', '--model', 'example-text'],
      5,
      'stdout',
      'attachment_model_vision_unsupported',
    ],
    ['a kind that no model takes', ['box.zip', '--profile', 'example'], 5, 'stdout', 'attachment_type_unsupported'],
    ['a damaged file', ['cut.png', '--profile', 'example'], 5, 'stdout', 'attachment_corrupt_image'],
    ['a damaged file for all', ['cut.png', '--all'], 5, 'stdout', 'attachment_corrupt_image'],
    ['a file that is not there', ['nowhere.png', '--all'], 3, 'stderr', 'Check the name'],
    ['an empty file', ['empty.txt', '--all'], 1, 'stderr', 'is empty'],
    ['a file that cannot be read', ['loop', '--all'], 1, 'stderr', 'cannot be read'],
    ['a folder', ['papers', '--all'], 2, 'stderr', 'is a folder'],
    ['an unknown profile', ['picture.png', '--profile', 'nobody'], 2, 'stderr', 'Name one of: example.'],
    ['a malformed model', ['picture.png', '--profile', 'example', '--model', 'a b'], 2, 'stderr', 'spelled'],
    ['no target', ['picture.png'], 2, 'stderr', '--all'],
    ['two kinds of target', ['picture.png', '--profile', 'example', '--all'], 2, 'stderr', 'not both'],
  ] as const)('says of %s what is wrong and what to do [DL-12]', async (_, args, exitCode, where, said) => {
    const end = await explain(...args);
    expect(end).toMatchObject({ exitCode, [where]: expect.stringContaining(said) });
    if (where === 'stderr') expect(end.stdout).toBe('');
  });

  it('tells a type that the name hides', async () => {
    const { exitCode, stdout } = await onExample('picture.jpg');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('image/png, by its name image/jpeg');
    expect(stdout).toContain('Warning: Declared as image/jpeg, but its bytes are image/png.');
  });

  it('gives programs the file and each target with its plan [DL-06]', async () => {
    const { exitCode, stdout } = await onExample('letter.txt', '--json');
    expect(exitCode).toBe(0);
    const { file, targets } = JSON.parse(stdout);
    expect(file).toMatchObject({ name: 'letter.txt', kind: 'text', status: 'ready', facts: { encoding: 'shift_jis' } });
    expect(targets).toMatchObject([
      {
        ...{ profile: 'example', transport: 'acp', provider: 'example', model: 'example-vision' },
        plan: { decision: 'deliver', items: [{ becomes: 'text', recipe: { purpose: 'decoded-text' } }] },
      },
    ]);
  });

  it('goes through profiles and catalog, and ends well though some are blocked [DL-19]', async () => {
    const { exitCode, stdout } = await explain('box.zip', '--all', '--json');
    expect(exitCode).toBe(0);
    const { targets } = JSON.parse(stdout);
    expect(targets.length).toBeGreaterThan(100);
    expect(targets[0].profile).toBe('example');
    type Target = { transport: string; program?: string; plan: { items: { becomes: string; reason: string }[] } };
    const byTool = (targets as Target[]).filter(({ plan }) => plan.items[0]?.becomes === 'tool');
    const ways = new Set(byTool.map(({ transport, program }) => [transport, program].filter(Boolean).join('/')));
    const readers = catalog.transports.filter(({ readsFiles }) => readsFiles !== undefined);
    expect(ways).toEqual(
      new Set(readers.map(({ transport, program }) => [transport, program].filter(Boolean).join('/'))),
    );
    expect(readers.length).toBeGreaterThan(5);
    for (const { plan } of byTool) expect(plan.items[0]?.reason).toContain('attachment_file');
    for (const { plan } of (targets as Target[]).filter((each) => !byTool.includes(each)))
      expect(plan.items[0]).toMatchObject({
        becomes: 'blocked',
        reason: expect.stringContaining('choose an agent whose program may read files with its own tools'),
      });
  });

  it('of a profile that denies its program tools says that, and what the operator can do [BX-19 DL-12]', async () => {
    const profile = { runtime: 'claude-stream-json', command: ['claude'], model: 'm', provider: 'anthropic' };
    const profiles = { open: profile, closed: { ...profile, permissionMode: 'deny' } };
    const profilesFile = join(folder, '..', `${basename(folder)}-profiles.json`);
    writeFileSync(profilesFile, JSON.stringify({ profiles }));
    const env = { ATTACHE_PROFILES: profilesFile };
    expect(await explainWith(env, 'box.zip', '--profile', 'open')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^profile open .+ tool /m),
    });
    const closed = await explainWith(env, 'box.zip', '--profile', 'closed', '--json');
    rmSync(profilesFile);
    expect(closed.exitCode).toBe(5);
    expect(JSON.parse(closed.stdout).targets[0].plan.failures[0].userMessage).toContain(
      'allow the tools of profile closed ("permissionMode": "gated")',
    );
  });
});
