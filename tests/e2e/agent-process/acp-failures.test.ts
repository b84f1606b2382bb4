import { rm } from 'node:fs/promises';
import type { AgentSpec } from '@attache/agent-process';
import { describe, expect, it } from 'vitest';
import { specOf } from './agent-spec.ts';
import {
  deliver,
  deliveriesOf,
  driver,
  imagePart,
  impatientDriver,
  makeFolder,
  recordingHooks,
  startAgent,
} from './example-agent.ts';

async function failToStart(rest: Partial<AgentSpec>) {
  const outcome = await driver.start(specOf(await makeFolder(), rest), recordingHooks().hooks);
  return outcome.status === 'failed' ? outcome.failure : undefined;
}

const failed = (code: string, rest: object = {}) => ({ status: 'failed', failure: { code, ...rest } });

describe('an agent that does not start is a failure by code [DL-38 DL-41]', () => {
  it('when its program is missing', async () => {
    expect(await failToStart({ command: ['no-such-agent'] })).toMatchObject({ code: 'delivery_agent_start_failed' });
  });

  it('when it ends before it is initialised', async () => {
    const failure = await failToStart({ args: ['--exit-before-initialize'] });
    expect(failure).toMatchObject({ code: 'delivery_agent_start_failed', safeDetails: { exitCode: 3 } });
  });

  it('when it says nothing in time', async () => {
    const failure = await failToStart({ command: ['sleep', '600'], startMs: 50 });
    expect(failure).toMatchObject({ code: 'delivery_agent_start_failed', safeDetails: { signal: 'SIGKILL' } });
  });

  it('when it speaks no protocol', async () => {
    expect(await failToStart({ args: ['--garbage'] })).toMatchObject({ code: 'delivery_protocol_error' });
  });

  it('with the end of its standard error, redacted [DL-67]', async () => {
    const failure = await failToStart({ command: ['sh', '-c', 'echo bad key sk-12345 >&2; exit 1'] });
    expect(failure?.diagnostic).toContain('bad key [redacted]');
  });
});

describe('a turn that fails says how [DL-40 DL-82]', () => {
  it('when the agent crashes before or in the middle of its answer', async () => {
    for (const directive of ['crash-before-answer', 'crash']) {
      const { agent } = await startAgent();
      expect(await deliver(agent, `example: ${directive}`)).toMatchObject(
        failed('delivery_agent_crashed', {
          diagnostic: 'example-agent: crashing as it was told',
          safeDetails: { phase: 'after-write', signal: 'SIGKILL' },
        }),
      );
      expect(await agent.exited).toMatchObject({ signal: 'SIGKILL' });
      expect(await deliver(agent, 'gone')).toMatchObject(
        failed('delivery_agent_crashed', { safeDetails: { phase: 'before-write' } }),
      );
    }
  });

  it('keeps what the agent had said when it crashed', async () => {
    const { agent, seen } = await startAgent();
    await deliver(agent, 'example: crash');
    expect(seen.outputs).toEqual([{ type: 'text', text: expect.stringContaining('I received') }]);
  });

  it('when the agent writes garbage, which also ends it', async () => {
    const { agent } = await startAgent();
    expect(await deliver(agent, 'example: garbage')).toMatchObject(failed('delivery_protocol_error'));
    expect(await agent.exited).toMatchObject({ signal: 'SIGKILL' });
  });

  it('when the agent writes a line of 64 MB, of which no more than the limit is held [W18]', async () => {
    const { agent } = await startAgent({ incomingLineBytes: 1_000_000 });
    const before = process.memoryUsage().rss;
    expect(await deliver(agent, 'example: long-line 64000000')).toMatchObject(failed('delivery_protocol_error'));
    expect(process.memoryUsage().rss - before).toBeLessThan(32_000_000);
  });

  it('when the agent does not end it in time; one that can be cancelled lives on', async () => {
    const { agent } = await startAgent({ turnMs: 3_000 });
    expect(await deliver(agent, 'example: hang')).toMatchObject(failed('delivery_turn_timeout'));
    expect((await deliver(agent, 'x')).status).toBe('responded');
    const deaf = await startAgent({ turnMs: 300 }, {}, impatientDriver);
    expect(await deliver(deaf.agent, 'example: deaf')).toMatchObject(failed('delivery_turn_timeout'));
    expect(await deaf.agent.exited).toMatchObject({ signal: 'SIGKILL' });
  });

  it('when it was interrupted and the agent does not end it', async () => {
    const { agent } = await startAgent({}, {}, impatientDriver);
    const turn = deliver(agent, 'example: deaf', { onWritten: async () => void setTimeout(agent.interrupt, 10) });
    expect(await turn).toMatchObject(failed('delivery_cancelled'));
    expect(await agent.exited).toMatchObject({ signal: 'SIGKILL' });
  });

  it('when the agent answers with an error', async () => {
    const { agent } = await startAgent();
    expect(await deliver(agent, 'example: fail 32000')).toMatchObject(failed('delivery_agent_auth_required'));
    expect(await deliver(agent, 'example: fail 32603')).toMatchObject(
      failed('delivery_runtime_transport_failed', { diagnostic: 'error -32603: failing as it was told' }),
    );
  });
});

describe('a line too long', () => {
  it('is refused before it is written [DL-62]', async () => {
    const { agent, folder } = await startAgent({ lineBytes: 100_000 });
    const image = await imagePart(folder, Buffer.alloc(75_000));
    const outcome = await deliver(agent, 'x', {
      parts: [image],
      onWriting: () => Promise.reject(new Error('written')),
    });
    expect(outcome).toMatchObject(failed('attachment_serialized_payload_too_large', { retryable: false }));
  });

  it('of 34 MB reaches an agent that takes it, and ends one with the default limit', async () => {
    for (const [args, expected] of [
      [[], { status: 'responded' }],
      [['--default-line-limit'], failed('delivery_agent_crashed')],
    ] as const) {
      const { agent, folder } = await startAgent({ args });
      const image = await imagePart(folder, Buffer.alloc(26_000_000, 'x'));
      expect(await deliver(agent, 'x', { parts: [image] })).toMatchObject(expected);
    }
  });
});

describe('before the first byte', () => {
  it('a missing file fails the delivery and leaves the agent alone [DL-40 DL-74]', async () => {
    const { agent, folder } = await startAgent();
    const image = await imagePart(folder, Buffer.alloc(10));
    await rm(image.path);
    expect(await deliver(agent, 'x', { parts: [image] })).toMatchObject(
      failed('attachment_artifact_missing', { retryable: true }),
    );
    expect((await deliver(agent, 'y')).status).toBe('responded');
  });

  it('a gateway that lost its session writes nothing [BX-16 W16]', async () => {
    const { agent, folder } = await startAgent();
    const fenced = deliver(agent, 'x', { onWriting: () => Promise.reject(new Error('lower epoch')) });
    await expect(fenced).rejects.toThrow('lower epoch');
    await deliver(agent, 'y');
    expect(await deliveriesOf(folder)).toHaveLength(1);
  });

  it('only one turn runs at a time', async () => {
    const { agent } = await startAgent();
    const first = deliver(agent, 'example: slow 100');
    await expect(deliver(agent, 'second')).rejects.toMatchObject({ code: 'INTERNAL' });
    expect((await first).status).toBe('responded');
  });
});
