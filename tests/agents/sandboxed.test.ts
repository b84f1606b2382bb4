import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentsStack, listInstalled, openAgentsStack } from './src/agents-stack.ts';
import { callOnce, type Driven, listen } from './src/driven.ts';
import { png } from './src/files.ts';
import { converse, openPlace, takeTurn, uploadSample } from './src/take-turn.ts';

// Every program as it is: what it takes, and what its own shell sees, in the sandbox that a stack takes by itself.

const runtimes = (await whereSandboxed()) ? await listInstalled(process.env) : [];
let stack: AgentsStack | undefined;
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});

describe.skipIf(runtimes.length === 0)(
  'in a sandbox (npm run agents installs the programs, and bubblewrap has to work)',
  () => {
    it.each(runtimes)(
      '$key gets a picture by the relay and a file by tool, and sees its own folder alone [BX-22 BX-23 BX-24 S22]',
      async (runtime) => {
        stack = await openAgentsStack(runtime, ['']);
        const place = await openPlace(stack.api, runtime.key, runtime.model);
        const driven: Driven = { stack, place, startedAt: Date.now() };
        listen(driven, runtime.model);
        const { id } = await uploadSample(stack.api, place, png);
        const { receipt } = await converse(stack.api, place, 'What is this?', [id]);
        expect(receipt?.items).toMatchObject([{ verdict: 'delivered', proof: 'wire', wire: { sha256: png.sha256 } }]);

        const getFile = { name: runtime.nameOwnTool('attachment_file'), input: { attachmentId: id } };
        const handedOut = resultsOf(callOnce(driven, runtime.model, getFile));
        await converse(stack.api, place, 'Get it as a file.');
        expect(handedOut()).toContain(`/agent/files/${id}.png`);

        const keyFile = join(stack.dataDir, 'api-key');
        const look = `ls /agent; sha256sum /agent/files/${id}.png; cat ${keyFile}; ls ${stack.dataDir}`;
        const seen = resultsOf(callOnce(driven, runtime.model, runtime.shell(look)));
        await takeTurn(stack.api, place, 'Look around.');
        const key = (await readFile(keyFile, 'utf8')).trim();
        expect(seen()).not.toContain(key);
        expect(seen()).not.toContain('api-key\\n');
        expect(seen()).toContain(png.sha256);
      },
    );
  },
);

const resultsOf = (asked: ReturnType<typeof callOnce>) => () =>
  JSON.stringify(asked.flatMap(({ toolResults }) => toolResults));
