import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  contents,
  deliver,
  deliveriesOf,
  imagePart,
  newDeliveryId,
  saidIn,
  startAgent,
  textPart,
} from './example-agent.ts';

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Noise does not compress: the file is as large as its pixels. */
async function makeImage(edge: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 50 } as const;
  return await sharp({ create: { width: edge, height: edge, channels: 3, background: '#000000', noise } })
    .png()
    .toBuffer();
}

describe('a turn of a real agent', () => {
  it('carries an image of 3 MB byte for byte and a text file, in one answered request [AT-27 DL-61 DL-103 W17]', async () => {
    const { agent, folder, seen } = await startAgent();
    expect(agent.declared).toEqual({ image: true, audio: true, embeddedContext: true });
    expect(agent.programVersion).toBe('0.1.0');
    const image = await makeImage(1020);
    expect(image.length).toBeGreaterThan(3_000_000);
    const deliveryId = newDeliveryId();
    const outcome = await agent.deliver({
      deliveryId,
      parts: [{ type: 'text', text: 'What is this?' }, await imagePart(folder, image), textPart('ü.txt', 'a\nb\n')],
      contents,
      trace: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
      onWriting: async () => undefined,
      onWritten: async () => undefined,
    });
    expect(outcome).toEqual({
      status: 'responded',
      stopReason: 'end_turn',
      proof: `session/prompt ${deliveryId} answered end_turn`,
    });
    expect(saidIn(seen)).toContain(`1020 × 1020 pixels`);
    expect(saidIn(seen)).toContain(sha256Of(image));
    expect(saidIn(seen)).toContain('"ü.txt" with 2 lines');
    expect(seen.deltas.join('')).toBe(saidIn(seen));
    const [record] = await deliveriesOf(folder);
    expect(record?.deliveryId).toBe(deliveryId);
    expect(record?.files.map(({ sha256 }) => sha256)).toEqual([sha256Of(image), sha256Of(Buffer.from('a\nb\n'))]);
  });

  it('reports that it is written before anything that the agent says in it [DL-61]', async () => {
    const { agent, folder, seen } = await startAgent();
    const steps: string[] = [];
    const onWritten = async () => {
      // This call comes before all that the agent says, however long it takes to record it.
      steps.push(`written, ${seen.deltas.length} deltas, ${seen.outputs.length} outputs`);
      await expect.poll(() => deliveriesOf(folder)).toHaveLength(1);
    };
    await deliver(agent, 'hello', { onWriting: async () => void steps.push('writing'), onWritten });
    expect(steps).toEqual(['writing', 'written, 0 deltas, 0 outputs']);
    expect(saidIn(seen)).toContain('I received');
  });

  it('is one of many in the same process', async () => {
    const { agent, folder } = await startAgent();
    for (const text of ['one', 'two', 'three']) expect((await deliver(agent, text)).status).toBe('responded');
    expect(await deliveriesOf(folder)).toHaveLength(3);
  });

  it('that the agent refuses is responded, not failed [DL-58]', async () => {
    const { agent } = await startAgent();
    expect(await deliver(agent, 'example: refuse')).toMatchObject({ status: 'responded', stopReason: 'refusal' });
  });

  it('hands media out as bytes, in text, block and tool result alike [SR-24]', async () => {
    const { agent, seen } = await startAgent();
    await deliver(agent, 'example: emit-base64');
    const media = seen.outputs.flatMap((item) => (item.type === 'media' ? [item] : []));
    expect(media).toMatchObject([{ mimeType: 'image/png' }, { mimeType: 'image/png', callId: 'dot' }]);
    expect((await sharp(media[0]?.bytes).metadata()).format).toBe('png');
    expect(JSON.stringify(seen.toolResults)).not.toContain('iVBORw0KGgo');
    expect(seen.outputs).toContainEqual({
      type: 'tool-call',
      callId: 'dot',
      tool: 'draw_dot',
      title: 'Draw a dot',
      status: 'completed',
      text: 'A dot.',
    });
  });
});

describe('a tool call', () => {
  it('is asked about and denied by default [AT-31 BX-21]', async () => {
    const { agent, seen } = await startAgent();
    await deliver(agent, 'example: ask-permission');
    expect(seen.toolCalls).toEqual([
      {
        callId: 'ask',
        tool: 'execute',
        title: 'Run a command',
        input: { rawInput: { command: 'true' }, title: 'Run a command' },
        isAttache: false,
        isUnseen: false,
      },
    ]);
    expect(saidIn(seen)).toContain('I asked for permission: no.');
  });

  it('is allowed once where the gateway allows it', async () => {
    const { agent, seen } = await startAgent({}, { onToolCall: async () => ({ decision: 'allow' }) });
    await deliver(agent, 'example: ask-permission');
    expect(saidIn(seen)).toContain('I asked for permission: yes.');
  });

  it('does not keep an interrupted turn open', async () => {
    const asked = Promise.withResolvers<void>();
    const onToolCall = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    const { agent } = await startAgent({}, { onToolCall });
    const turn = deliver(agent, 'example: ask-permission');
    await asked.promise;
    await agent.interrupt();
    expect(await turn).toMatchObject({ status: 'responded', stopReason: 'cancelled' });
  });
});

describe('an interrupt', () => {
  it('ends a running turn, by call or by signal', async () => {
    const { agent } = await startAgent();
    const byCall = deliver(agent, 'example: hang', { onWritten: async () => void setTimeout(agent.interrupt, 20) });
    expect(await byCall).toMatchObject({ status: 'responded', stopReason: 'cancelled' });
    const stop = new AbortController();
    const bySignal = deliver(agent, 'example: slow 10000', {
      onWritten: async () => void setTimeout(() => stop.abort(), 20),
      signal: stop.signal,
    });
    expect(await bySignal).toMatchObject({ status: 'responded', stopReason: 'cancelled' });
    expect((await deliver(agent, 'still there?')).status).toBe('responded');
  });

  it('before the first byte cancels the delivery and leaves the agent alone', async () => {
    const { agent, folder } = await startAgent();
    const cancelled = await deliver(agent, 'never sent', { signal: AbortSignal.abort() });
    expect(cancelled).toMatchObject({ status: 'failed', failure: { code: 'delivery_cancelled' } });
    await deliver(agent, 'sent');
    expect(await deliveriesOf(folder)).toHaveLength(1);
  });
});
