import { describe, expect, it } from 'vitest';
import { createCallLane } from './call-lane.ts';
import { readCall, toolOf } from './read-call.ts';

const MEBIBYTE = 1024 * 1024;

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 60_000) yield bytes.subarray(start, start + 60_000);
}

const read = (text: string) =>
  readCall(chunksOf(text), { maxOutputBytes: 2 * MEBIBYTE, largeCalls: createCallLane({ running: 1, waiting: 1 }) });

const call = (name: string, content: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { content } } });

describe('a call', () => {
  it('is one JSON-RPC message, and names its tool', async () => {
    const found = await read(call('resource_view', 'ä'.repeat(100_000)));
    expect(found).toMatchObject({ message: { id: 1, method: 'tools/call' } });
    expect(toolOf({ method: 'tools/call', params: { name: 'resource_view' } })).toBe('resource_view');
    expect(toolOf({ method: 'tools/call', params: 5 })).toBe('');
    expect(toolOf({ method: 'tools/list' })).toBeUndefined();
  });

  it.each([
    ['no JSON', '{"jsonrpc":"2.0"', -32700],
    ['nothing', '', -32700],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
    ['another protocol', '{"id":1,"method":"ping"}', -32600],
    ['a number', '5', -32600],
    ['values in each other', `{"jsonrpc":"2.0","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, -32600],
  ])('that is %s is answered with an error of JSON-RPC', async (_, text, code) => {
    expect(await read(text)).toMatchObject({ code, reason: expect.stringMatching(/\.$/) });
  });

  it('beyond 1 MiB may only bring a file, and that only up to the limit of outputs', async () => {
    const large = 'x'.repeat(2 * MEBIBYTE);
    expect(await read(call('attachment_save_output', large))).toHaveProperty('message');
    await expect(read(call('resource_view', large))).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    const tooLarge = call('attachment_save_output', `${large}${large}`);
    await expect(read(tooLarge)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });
});
