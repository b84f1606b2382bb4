import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prepareWorkerSandbox } from '@attache/agent-process';
import { countBubblewrap } from '@attache/agent-process/counted-bubblewrap';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { expect, it, onTestFinished } from 'vitest';
import { settleSandbox } from './settle-sandbox.ts';

it.runIf(await whereSandboxed())(
  'the trial of a gateway that starts is not repeated for its media workers; one that was refused is [BX-22]',
  async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'attache-settled-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const bubblewrap = countBubblewrap(root);
    const settle = () => settleSandbox({ need: 'where-it-works' }, bubblewrap.PATH);
    const prepare = () => prepareWorkerSandbox([process.execPath], [root], bubblewrap.PATH);
    bubblewrap.refuse();
    expect(await settle()).toMatchObject({ byDefault: 'none' });
    expect(await prepare()).toMatchObject({ status: 'unavailable' });
    bubblewrap.allow();
    expect(bubblewrap.listTrials()).toHaveLength(2);
    expect(await settle()).toMatchObject({ byDefault: 'bubblewrap' });
    expect(await prepare()).toMatchObject({ status: 'ready' });
    expect(bubblewrap.listTrials()).toHaveLength(3);
  },
);
