import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { GatewayAccess } from '../config.ts';
import { describeError, parseCall } from './json-rpc.ts';
import { postCall } from './post-call.ts';
import { readLines } from './read-lines.ts';

const RUNNING_CALLS = 8;
const LINE_BYTES = 8 * 1024 * 1024;

export type Bridge = { input: Readable; output: Writable; access: GatewayAccess | undefined };

/** Sends each line of the input to the gateway, some at once, and writes its answer as one line. Ends with the input. */
export async function bridgeCalls({ input, output, access }: Bridge): Promise<void> {
  const running = new Set<Promise<void>>();
  const answer = async (line: string | undefined): Promise<void> => {
    const reply = await answerLine(line, access);
    // Its place is kept until the answer is taken: no further call is read while nobody reads the answers.
    if (reply !== undefined && !output.write(`${reply}\n`)) await once(output, 'drain');
  };
  for await (const line of readLines(input, LINE_BYTES)) {
    const call = answer(line).finally(() => running.delete(call));
    running.add(call);
    if (running.size >= RUNNING_CALLS) await Promise.race(running);
  }
  await Promise.all(running);
}

/** Undefined if the line needs no response. */
async function answerLine(line: string | undefined, access: GatewayAccess | undefined): Promise<string | undefined> {
  if (line === undefined) return describeError(null, -32700, `A line may have ${LINE_BYTES} bytes.`);
  if (line.trim() === '') return undefined;
  const call = parseCall(line);
  if (call === undefined) return describeError(null, -32700, 'The line is no JSON-RPC message. Send one per line.');
  const { id } = call;
  if (access === undefined)
    return id === undefined
      ? undefined
      : describeError(id, -32000, 'This program was not started by an agent of Attaché.');
  const reply = await postCall(access, line, call);
  return id === undefined ? undefined : reply;
}
