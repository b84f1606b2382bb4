import { makeSound } from '../inputs/random-bodies.ts';
import { measureOwnRise } from '../processes/process-cost.ts';
import type { Result } from '../report/result.ts';
import { pause, summarise } from '../report/sample.ts';
import type { HttpClient } from './http-client.ts';
import {
  createSession,
  endSession,
  putFile,
  readUpload,
  sendMessage,
  waitUntilInspected,
  waitUntilResponded,
} from './product-calls.ts';

// Two sounds: the example agent takes 20 MiB as one file, and a line holds 25 MB in base64.
const SOUNDS = 2;
const SOUND_BYTES = 12_500_000;
const MAX_RISE_MB = 16;
const MEBIBYTE = 1024 * 1024;
const TEXT = 'example: refuse';
/** Memory that an upload leaves behind is freed in it, if the collector runs. */
const REST_MS = 2_000;

async function storeSounds(client: HttpClient, sessionId: string): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < SOUNDS; index += 1) {
    const file = { bytes: makeSound(SOUND_BYTES), sizeBytes: SOUND_BYTES, mimeType: 'audio/wav', name: 'sound.wav' };
    ids.push(readUpload(await putFile(client, sessionId, file)).attachment.id);
  }
  await waitUntilInspected(client, ...ids);
  return ids;
}

async function measureOnce(client: HttpClient, pid: number): Promise<number> {
  const { session, agent } = await createSession(client, { model: 'example-omni' });
  const deliver = async (attachmentIds: string[]) => {
    const { id } = await sendMessage(client, session.id, { to: [agent.id], text: TEXT, attachmentIds });
    const { receipt } = await waitUntilResponded(client, id);
    if (receipt?.items.some(({ form }) => form !== 'native')) throw new Error('A sound did not go as it is.');
  };
  await deliver([]);
  const attachmentIds = await storeSounds(client, session.id);
  await pause(REST_MS);
  const rise = await measureOwnRise(pid, () => deliver(attachmentIds));
  await endSession(client, session.id);
  return rise / MEBIBYTE;
}

/** How far the memory of the process that writes into agents rises with 25 MB in one line; a smaller one has gone before. */
export async function measureLargePrompt(options: {
  client: HttpClient;
  pid: number;
  rounds: number;
  of: string;
}): Promise<Result> {
  const { client, pid, rounds, of } = options;
  const rises: number[] = [];
  for (let round = 0; round < rounds; round += 1) rises.push(await measureOnce(client, pid));
  return {
    what: `rise of the memory of ${of}, 25 MB in one line to a running agent`,
    unit: 'MB',
    product: summarise(rises),
    target: { of: 'product', atMost: MAX_RISE_MB },
  };
}
