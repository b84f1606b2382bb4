import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Attachment, Delivery, Session, SessionEvent } from '@attache/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packLibrary } from './pack-library.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
let stack: ChildProcess | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-kit-'));
});
afterAll(async () => {
  if (stack?.exitCode === null && stack.kill('SIGTERM')) await once(stack, 'exit');
  await rm(folder, { recursive: true, force: true });
});

/** The kit and the contracts as they are packed, with the SDK of the protocol, in an empty folder. */
async function installKit(): Promise<string> {
  const out = join(folder, 'out');
  const contracts = packLibrary({ root, out, name: 'contracts' });
  const kit = packLibrary({ root, out, name: 'agent-kit' });
  const place = join(folder, 'capitals');
  await mkdir(place);
  await writeFile(join(place, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const packages = [contracts, kit, '@agentclientprotocol/sdk'];
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: place });
  return place;
}

/** Starts a stack with this file of profiles. Returns a function that calls its API. */
async function startStack(profilesFile: string) {
  const dataDir = join(folder, 'data');
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH, HOME: folder, ATTACHE_DATA_DIR: dataDir, ATTACHE_PORT: '0', ATTACHE_OPS_PORT: '0' };
  stack = spawn(process.execPath, [join(root, 'apps/cli/src/main.ts'), 'start'], {
    env: { ...env, ATTACHE_PROFILES: profilesFile },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await findUrl(stack);
  const key = (await readFile(join(dataDir, 'api-key'), 'utf8')).trim();
  return async <Answer>(method: string, path: string, body?: object | string): Promise<Answer> => {
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': type }) };
    const sent = typeof body === 'object' ? JSON.stringify(body) : body;
    const answer = await fetch(`${url}/v1${path}`, { method, headers, ...(sent && { body: sent }) });
    return (await answer.json()) as Answer;
  };
}

async function findUrl({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('it has no standard output');
  for await (const line of createInterface({ input: stdout })) {
    const [, url] = /ready on (http:\S+)/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('it ended before it was ready');
}

it('the agent of the kit’s README runs as it is there: it opens the file that it was sent, and saves one', async () => {
  const readme = await readFile(join(root, 'packages/agent-kit/README.md'), 'utf8');
  const [, agent = '', profiles = ''] =
    /^## A whole agent$[\s\S]*?^```js\n([\s\S]*?)^```$[\s\S]*?^```json\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  const place = await installKit();
  await writeFile(join(place, 'agent.js'), agent);
  await writeFile(join(folder, 'profiles.json'), profiles.replace('/srv/capitals', place));
  const call = await startStack(join(folder, 'profiles.json'));

  const agents = [{ name: 'capitals', role: 'lead', target: { profile: 'capitals' } }];
  const { session } = await call<{ session: Session }>('POST', '/sessions', { agents });
  const { attachment } = await call<{ attachment: Attachment }>(
    'PUT',
    `/sessions/${session.id}/attachments?name=a%5Bb%5D.txt`,
    'a note',
  );
  const message = { to: session.agents.map(({ id }) => id), text: 'look', attachmentIds: [attachment.id] };
  const sent = await call<{ deliveries: Delivery[] }>('POST', `/sessions/${session.id}/messages`, message);
  const readStatus = async () =>
    (await call<{ delivery: Delivery }>('GET', `/deliveries/${sent.deliveries[0]?.id}`)).delivery.status;
  await expect.poll(readStatus, { timeout: 60_000 }).toBe('responded');

  const { items } = await call<{ items: Attachment[] }>('GET', `/sessions/${session.id}/attachments`);
  const saved = items.find(({ origin }) => origin === 'tool-output');
  expect(saved).toMatchObject({
    name: 'capitals-of-a[b].txt',
    sha256: createHash('sha256').update('A NOTE').digest('hex'),
  });
  const { items: events } = await call<{ items: SessionEvent[] }>('GET', `/sessions/${session.id}/events`);
  const output = events.find(({ kind }) => kind === 'agent.output');
  expect(JSON.stringify(output?.data)).toContain(
    `I may use 1 files.\\n[attachment id=${saved?.id} type=text/plain name=`,
  );
});
