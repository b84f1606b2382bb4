// hosted: never – it runs the commands of the README, which start the embedded stack
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Delivery, SessionEvent } from '@attache/contracts';
import { cli, copyTemplateFolder, makePng, type SpawnedStack, spawnStack } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const readme = await readFile(join(root, 'README.md'), 'utf8');
const MARKED = /<!-- run by tests\/e2e\/documented\/readme\.test\.ts -->\n\n```sh\n([\s\S]*?)```/g;
const script = [...readme.matchAll(MARKED)].map(([, block = '']) => block).join('');
/** The block behind a comment that names where it comes from. */
const readBlock = (source: string) =>
  new RegExp(`<!-- ${source}[^>]* -->\\n\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1] ?? '';

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('the commands of the README', () => {
  it('are scripts of the package', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const named = [...readme.matchAll(/\bnpm (?:run )?(start|test|demo|bench|check)\b/g)].map(([, name = '']) => name);
    expect(named.slice(0, 3)).toEqual(['demo', 'test', 'start']);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

// Ids and times differ from run to run.
const maskLine = (line: string) => line.replace(/^✓ +\d+ ms/, '✓ ms').replaceAll(/\b(att|dlv)_[\w-]{22}/g, '$1_…');

describe('what the README shows', () => {
  let printed: string;

  beforeAll(async () => {
    const dataDir = await copyTemplateFolder();
    const folder = await mkdtemp(join(tmpdir(), 'attache-readme-'));
    await rename(dataDir, join(folder, 'demo'));
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, ATTACHE_DATA_DIR: folder };
    ({ stdout: printed } = await run(process.execPath, [cli, 'demo'], { cwd: folder, env }));
    await rm(folder, { recursive: true, force: true });
  }, 120_000);

  it('are lines of a real demo, in their order', () => {
    const shown = readBlock('printed by the demo').trimEnd().split('\n').map(maskLine);
    const lines = printed.split('\n').map(maskLine);
    expect(shown).toHaveLength(8);
    expect(lines).toEqual(expect.arrayContaining(shown));
    const places = shown.map((line) => lines.lastIndexOf(line));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it('is a picture of the receipts of that demo, by size and digest', async () => {
    const picture = await readFile(join(root, 'docs/images/delivery.svg'), 'utf8');
    const receipts = printed.slice(printed.indexOf('Receipt of example-vision'));
    const shown = [...picture.matchAll(/>([\d,]+) bytes, sha256<\/text>\s+<text [^>]*>(\w+)…</g)].map(
      ([, bytes = '', start]) => `${bytes.replace(',', '')} ${start}`,
    );
    const real = [...receipts.matchAll(/ {2}(\d+) bytes {2}delivered\n {4}sha256 (\w{24})/g)];
    expect(shown).toEqual(real.map(([, bytes, start]) => `${bytes} ${start}`));
    expect(shown).toHaveLength(3);
  });

  it('are lines of an example', async () => {
    const client = readBlock('lines of examples/send-file.mjs');
    expect(client.split('\n').filter(Boolean).length).toBeGreaterThan(5);
    expect(await readFile(join(root, 'examples/send-file.mjs'), 'utf8')).toContain(client);
  });
});

describe.skipIf(!hasCurl())('the first upload of the README (needs curl on PATH)', () => {
  let dataDir: string;
  let folder: string;
  let stack: SpawnedStack;
  const picture = makePng(320, 200, 20);

  beforeAll(async () => {
    dataDir = await copyTemplateFolder();
    stack = await spawnStack(dataDir);
    folder = await mkdtemp(join(tmpdir(), 'attache-readme-'));
    await symlink(dataDir, join(folder, '.attache'));
    await writeFile(join(folder, 'picture.png'), picture);
  });
  afterAll(async () => {
    await stack?.end('SIGTERM');
    for (const path of [dataDir, folder]) if (path) await rm(path, { recursive: true, force: true });
  });

  it('works as it is written, down to the digest of what the agent received [BX-03]', async () => {
    const commands = script.replaceAll('http://127.0.0.1:4100', stack.url);
    expect(commands).not.toBe(script);
    // The README's reader has Node on PATH.
    const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
    const { stdout } = await run('sh', ['-euc', commands], { cwd: folder, env: { ...process.env, PATH } });
    const { delivery } = JSON.parse(await readFile(join(folder, 'delivery.json'), 'utf8')) as { delivery: Delivery };
    expect(delivery).toMatchObject({ status: 'responded', receipt: { items: [{ form: 'native' }] } });

    const [receipt, file, log = ''] = stdout.split('\n');
    const sha256 = createHash('sha256').update(picture).digest('hex');
    expect(receipt).toBe(sha256);
    expect(file).toBe(`${sha256}  picture.png`);
    const { items } = JSON.parse(log) as { items: SessionEvent[] };
    expect(items.map(({ kind }) => kind)).toContain('delivery.responded');
    expect(items.filter(({ data }) => data.origin === 'tool-output')).toHaveLength(1);
  });
});
