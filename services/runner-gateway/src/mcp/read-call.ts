import { Fault } from '@attache/contracts';
import { base64Bytes, scanLimits } from '@attache/domain';
import type { CallLane } from './call-lane.ts';
import { SAVE_TOOL } from './save-output-tool.ts';

const CALL_BYTES = 1024 * 1024;
// A file that comes inside a call is held in memory whole, several times. Larger files are named by their path.
const LARGEST_CONTENT_BYTES = 48 * 1024 * 1024;
// The arguments of a call lie two levels deep in its message, so this is exactly as deep as the gate reads.
const MAX_DEPTH = scanLimits.maxDepth + 2;

/** One JSON-RPC message, or the error that answers an invalid one. A call of a tool that `isTooDeep` has to be denied, and nothing parses it. */
export type ReadCall = { message: Record<string, unknown>; isTooDeep: boolean } | { code: number; reason: string };

/** Reads one call. `PAYLOAD_TOO_LARGE` for a body that no call may have; one beyond 1 MiB may only bring a file. */
export async function readCall(
  body: AsyncIterable<Uint8Array>,
  { maxOutputBytes, largeCalls }: { maxOutputBytes: number; largeCalls: CallLane },
): Promise<ReadCall> {
  const chunks = body[Symbol.asyncIterator]();
  const begun = await readUpTo(chunks, CALL_BYTES);
  if (begun.isWhole) return parseCall(begun.bytes);
  return largeCalls.run(async () => {
    const maxBytes = base64Bytes(Math.min(maxOutputBytes, LARGEST_CONTENT_BYTES)) + CALL_BYTES;
    const rest = await readUpTo(chunks, maxBytes - begun.bytes.length);
    if (!rest.isWhole) throw tooLarge(maxBytes);
    const call = parseCall(Buffer.concat([begun.bytes, rest.bytes]));
    if ('message' in call && toolOf(call.message) !== SAVE_TOOL) throw tooLarge(CALL_BYTES);
    return call;
  });
}

/** The tool that a message calls. */
export function toolOf({ method, params }: Record<string, unknown>): string | undefined {
  if (method !== 'tools/call') return undefined;
  return isRecord(params) && typeof params.name === 'string' ? params.name : '';
}

function tooLarge(maxBytes: number): Fault {
  return new Fault('PAYLOAD_TOO_LARGE', `A call may have ${maxBytes} bytes. Give a file by its path.`);
}

async function readUpTo(chunks: AsyncIterator<Uint8Array>, maxBytes: number) {
  const read: Uint8Array[] = [];
  let sizeBytes = 0;
  while (sizeBytes <= maxBytes) {
    const next = await chunks.next();
    if (next.done === true) return { bytes: Buffer.concat(read), isWhole: true };
    read.push(next.value);
    sizeBytes += next.value.length;
  }
  return { bytes: Buffer.concat(read), isWhole: false };
}

function parseCall(bytes: Buffer): ReadCall {
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString());
  } catch {
    return { code: -32700, reason: 'This is no JSON.' };
  }
  if (!isRecord(parsed) || parsed.jsonrpc !== '2.0')
    return { code: -32600, reason: 'This is no JSON-RPC 2.0 message. Send one at a time.' };
  const isTooDeep = isDeeperThan(MAX_DEPTH, parsed);
  if (isTooDeep && toolOf(parsed) === undefined)
    return { code: -32600, reason: `More than ${MAX_DEPTH} values in each other.` };
  return { message: parsed, isTooDeep };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// Level by level and not by recursion: what this is for is an attack on the stack.
function isDeeperThan(depth: number, value: unknown): boolean {
  let level: unknown[] = [value];
  for (let reached = 0; level.length > 0; reached += 1) {
    if (reached > depth) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
