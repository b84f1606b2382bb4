import { randomInt } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { listProcesses } from '@attache/agent-process/list-processes';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { listDescendants } from '@attache/infra/native/processes/process-table';
import { type HostedStack, makePng, shareServers, startHosted } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const servers = inject('servers');
const hasServers = Boolean(servers.postgres && servers.minio && servers.nats);
const canChangeUsers = process.getuid?.() === 0 && (await whereSandboxed());
const title = 'services of root with users for their children';
const first = 1_900_000_000 + randomInt(10_000_000);
const last = first + 9;

let stack: HostedStack;

describe.runIf(hasServers && canChangeUsers)(title, () => {
  beforeAll(async () => {
    stack = await startHosted({ servers: shareServers(servers) });
    await chmod(stack.dataDir, 0o711);
    const ATTACHE_AGENT_UIDS = `${first}-${last}`;
    for (const service of ['projector', 'runner-gateway'] as const)
      await stack.restart(service, 'SIGTERM', { ATTACHE_AGENT_UIDS });
  });
  afterAll(() => stack?.stop());

  it('inspect files as the last of these users, and start agents as the others [BX-22 S16 S19]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const { attachment } = await api.upload(session.id, makePng(20, 10));
    await api.inspected(attachment.id);
    const { deliveries } = await api.send(session.id, { to: [agent.id], text: 'look', attachmentIds: [attachment.id] });
    expect(await api.settled(deliveries[0].id)).toMatchObject({
      ...{ status: 'responded', receipt: { items: [{ verdict: 'delivered' }] } },
    });
    const below = (service: 'projector' | 'runner-gateway') =>
      listDescendants(stack.services[service].process.pid ?? 0);
    const agents = listProcesses(first);
    expect(await below('projector')).toEqual(expect.arrayContaining(listProcesses(last)));
    expect(listProcesses(last).length).toBeGreaterThan(0);
    expect(await below('runner-gateway')).toEqual(expect.arrayContaining(agents));
    expect(agents.length).toBeGreaterThan(0);
  });
});
