import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DriverHooks } from '@attache/agent-process';
import { countBubblewrap } from '@attache/agent-process/counted-bubblewrap';
import { givenSpec } from '@attache/agent-process/given-spec';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { expect, it, onTestFinished } from 'vitest';
import { loadDriver } from '../load-drivers.ts';

it.runIf(await whereSandboxed())(
  'an agent whose sandbox stopped working since the last start fails for that reason, and says what to do [BX-22]',
  async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'attache-refused-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const bubblewrap = countBubblewrap(root);
    const driver = await loadDriver('acp', {
      ...{ inherited: { PATH: bubblewrap.PATH }, redact: (text) => text, client: { name: 'test', version: '0' } },
    });
    const spec = givenSpec({
      ...{ command: ['/bin/true'], folder: path.join(root, 'agents', 'one'), socketPath: '', startMs: 20_000 },
      sandbox: { readOnly: [], privateFolders: [root] },
    });
    const start = () => driver.start(spec, {} as DriverHooks);
    expect(await start()).toMatchObject({ failure: { code: 'delivery_agent_start_failed' } });
    bubblewrap.refuse();
    expect(await start()).toMatchObject({
      status: 'failed',
      failure: {
        code: 'delivery_sandbox_unavailable',
        diagnostic: expect.stringMatching(/^user-namespaces: .*\n.*bwrap: No permissions/s),
      },
    });
  },
);
