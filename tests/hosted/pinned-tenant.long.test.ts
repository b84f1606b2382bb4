import { dirname } from 'node:path';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { type Api, createApi, type HostedStack, runCommand, shareServers, startHosted } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const servers = inject('servers');
const hasServers = Boolean(servers.postgres && servers.minio && servers.nats);
const title = 'a gateway on a machine where no sandbox works';
const SERVED = 'local';
const OTHER = 'other';
// Node and nothing else.
const withoutBubblewrap = dirname(process.execPath);
const example = { runtime: 'acp', command: ['attache-example-agent'], provider: 'example', model: 'example-vision' };

const works = await whereSandboxed();

let stack: HostedStack;
let other: Api;
let otherId: string;

async function attache(...command: string[]) {
  const environment = { ATTACHE_DATABASE_URL: stack.database.urlOf('operator') };
  const { stdout } = await runCommand([...command, '--json'], environment);
  return JSON.parse(stdout);
}

async function createOther(): Promise<void> {
  const { secret, tenant } = await attache('tenant', 'create', OTHER);
  other = createApi(stack.url, secret);
  otherId = tenant.id;
}

async function send(api: Api, profile = 'example'): Promise<string> {
  const { session, agent } = await api.createSession({ profile });
  const { deliveries } = await api.send(session.id, { to: [agent.id], text: 'hello' });
  return deliveries[0].id;
}

const restart = (changes: Record<string, string>) => stack.restart('runner-gateway', 'SIGTERM', changes);
const readReadiness = async () => (await fetch(`${stack.services['runner-gateway'].opsUrl}/readyz`)).text();

(hasServers ? describe : describe.skip)(hasServers ? title : `${title}: it needs Postgres, NATS and MinIO`, () => {
  beforeAll(async () => {
    const open = { ...example, sandbox: { mode: 'none' } };
    stack = await startHosted({ servers: shareServers(servers), profiles: { example, open } });
    await createOther();
  });
  afterAll(() => stack?.stop());

  it('starts no agent that needs one, says so where operators look, and starts those whose profile wants none [BX-22]', async () => {
    await restart({ PATH: withoutBubblewrap });
    expect(await stack.api.settled(await send(stack.api))).toMatchObject({
      ...{ status: 'failed', failure: { code: 'delivery_sandbox_unavailable' } },
    });
    expect(await stack.api.settled(await send(stack.api, 'open'))).toMatchObject({ status: 'responded' });
    expect(await readReadiness()).toMatch(/^sandbox unavailable: .+\(no-program\)/m);
    expect(stack.services['runner-gateway'].stderr()).toContain('sandbox.unavailable');
  });

  it('serves the tenant that it is pinned to, without one, and takes no session of another [BX-22]', async () => {
    await restart({ ATTACHE_PINNED_TENANT: SERVED });
    expect(await readReadiness()).toMatch(/^tenant local alone\nsandbox unavailable: .+ for the tenant local alone/m);
    const left = await send(other);
    await other.reached(left, 'prepared');
    for (let turn = 0; turn < 3; turn += 1)
      expect(await stack.api.settled(await send(stack.api))).toMatchObject({ status: 'responded' });
    const { body } = await other.call('GET', `/deliveries/${left}`);
    expect(body).toMatchObject({ delivery: { status: 'prepared' } });
    await restart({ ATTACHE_PINNED_TENANT: otherId });
    expect(await other.settled(left)).toMatchObject({ status: 'responded' });
  });

  it('does not start where the tenant is not there', async () => {
    await expect(restart({ ATTACHE_PINNED_TENANT: 'nobody' })).rejects.toThrow(
      /ATTACHE_PINNED_TENANT names nobody, and there is no such tenant\./,
    );
  });

  it.runIf(works)('has agents in a sandbox where one works, and is still pinned [BX-22]', async () => {
    await restart({ PATH: process.env.PATH ?? '', ATTACHE_PINNED_TENANT: SERVED });
    expect(await stack.api.settled(await send(stack.api))).toMatchObject({ status: 'responded' });
    expect(await readReadiness()).not.toContain('sandbox');
    expect(await readReadiness()).toMatch(/^tenant local alone$/m);
  });
});
