import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type AgentOutput, agentOutputSchema } from '@attache/contracts';
import type { GatewayClient } from './gateway-client.ts';

/** The output of a tool. `name` is a label, never a path. */
export type OutputRequest = { name: string; mimeType: string } & (
  | { bytes: Uint8Array }
  | { path: string }
  | { stream: Readable }
);

/** Stores a tool's output as an attachment of the session (AT-33). */
export async function putOutput(client: GatewayClient, output: OutputRequest): Promise<AgentOutput> {
  if ('bytes' in output) return await post(client, output, output.bytes, output.bytes.byteLength);
  if ('stream' in output) return await post(client, output, output.stream, undefined);
  await using file = await open(output.path);
  const { size } = await file.stat();
  return await post(client, output, file.createReadStream({ autoClose: false }), size);
}

async function post(
  client: GatewayClient,
  { name, mimeType }: OutputRequest,
  body: Readable | Uint8Array,
  sizeBytes: number | undefined,
): Promise<AgentOutput> {
  const answer = await client.sendForJson({
    method: 'POST',
    path: `/agent/outputs?${new URLSearchParams({ name })}`,
    headers: {
      'content-type': mimeType,
      ...(sizeBytes === undefined ? {} : { 'content-length': String(sizeBytes) }),
    },
    body,
  });
  return agentOutputSchema.parse(answer);
}
