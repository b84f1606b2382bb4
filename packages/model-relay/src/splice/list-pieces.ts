import type { ByteRange } from '../content/content-types.ts';
import type { ModelApi } from '../relay-types.ts';
import type { Splice } from './plan-splices.ts';

/** A piece of a body that is sent: a range of the body that came, or bytes written between ranges. */
export type Piece = Buffer | ByteRange;

/** The body of `sizeBytes` with these blocks replaced. Made again at each walk, so that a thousand of them are not held. */
export function* listPieces(api: ModelApi, splices: readonly Splice[], sizeBytes: number): Generator<Piece> {
  let start = 0;
  for (const splice of splices) {
    const { range } = splice.block;
    if (range.start > start) yield { start, end: range.start };
    yield* writeReplacement(api, splice);
    start = range.end;
  }
  if (sizeBytes > start) yield { start, end: sizeBytes };
}

/** How long that is. */
export function measurePieces(pieces: Iterable<Piece>): number {
  let sizeBytes = 0;
  for (const piece of pieces) sizeBytes += 'start' in piece ? piece.end - piece.start : piece.length;
  return sizeBytes;
}

/** How a part begins that is a text. */
const openings: Readonly<Record<ModelApi, string>> = {
  anthropic: '{"type":"text","text":',
  'openai-responses': '{"type":"input_text","text":',
  'openai-chat': '{"type":"text","text":',
  google: '{"text":',
};

function* writeReplacement(api: ModelApi, { block, text }: Splice): Generator<Piece> {
  const spelled = JSON.stringify(text);
  if (block.isString) return yield Buffer.from(spelled);
  if (api === 'google' && isInFunctionResponse(block.path)) return yield Buffer.from(writeFile(text));
  yield Buffer.from(`${openings[api]}${spelled}`);
  if (block.cacheControl !== undefined) {
    yield Buffer.from(',"cache_control":');
    yield block.cacheControl;
  }
  yield Buffer.from('}');
}

const isInFunctionResponse = (path: readonly number[]): boolean => path.length > 2;

/** The parts of a function's response are files. Of texts they may be plain ones. */
function writeFile(text: string): string {
  const data = Buffer.from(text).toString('base64');
  return JSON.stringify({ inlineData: { mimeType: 'text/plain', data } });
}
