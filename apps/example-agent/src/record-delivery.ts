import { open } from 'node:fs/promises';
import path from 'node:path';
import type { PromptRequest } from '@agentclientprotocol/sdk';
import type { ReceivedPrompt } from './read-prompt.ts';

/** Appends what arrived to `deliveries.jsonl` in the agent's home: its own record, on disk before it answers. */
export async function recordDelivery(
  home: string,
  { _meta: meta }: PromptRequest,
  { files }: ReceivedPrompt,
): Promise<void> {
  const attache = meta?.attache as { deliveryId?: unknown } | undefined;
  const record = {
    deliveryId: attache?.deliveryId,
    at: Date.now(),
    traceparent: meta?.traceparent,
    files: files.map(({ type, mimeType, sha256 }) => ({ type, mimeType, sha256 })),
  };
  await using file = await open(path.join(home, 'deliveries.jsonl'), 'a', 0o600);
  await file.write(`${JSON.stringify(record)}\n`);
  await file.sync();
}
