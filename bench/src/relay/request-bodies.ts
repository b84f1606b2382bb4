import { listThings, readSources } from '../embedded/calls/tool-calls.ts';
import { makeRandomBytes } from '../inputs/random-bodies.ts';

const CONVERSATION_CHARACTERS = 12_000_000;
const PICTURES_BYTES = 18_750_000;
/** The length of one answer of a tool. */
const BLOCK_CHARACTERS = 8_000;
const SMALL_BLOCK_CHARACTERS = 200;
const CONVERSATION_TURN_BYTES = 500_000;

/** A picture that the model of one agent has refused. */
export const refusedPicture = Buffer.alloc(100_000, 'A picture that no model takes. ');

const fill = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** A body of the Messages API, and its files in base64. */
export type RequestBody = { readonly body: Buffer; readonly files: readonly string[] };

/** 25 MB of pictures as base64, so many of them. */
export function makePictureBody(count: number): RequestBody {
  const files = Array.from({ length: count }, () =>
    Buffer.from(makeRandomBytes(Math.floor(PICTURES_BYTES / count))).toString('base64'),
  );
  const content = files.map((data) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }));
  return { body: toBody([{ role: 'user', content }]), files };
}

/** A conversation of answers of tools, by what they are. */
export function describeTextBodies(): Record<string, Buffer> {
  const sources = readSources()
    .map(({ content }) => content)
    .join('\n');
  const texts = {
    'source code': sources,
    'JSON inside a text': JSON.stringify({ body: listThings(10_000) }),
    'JSON inside JSON inside a text': JSON.stringify({ body: JSON.stringify({ body: listThings(10_000) }) }),
    words: fill('What a model says, in words and no more. ', 100_000),
    'words in Greek': fill('Ἄνδρα μοι ἔννεπε, Μοῦσα, πολύτροπον, ὃς μάλα πολλὰ ', 100_000),
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      makeTextBody(fill(text, CONVERSATION_CHARACTERS), BLOCK_CHARACTERS),
    ]),
  );
}

/** A request of a conversation as programs send it: pictures and texts of the user's and answers of tools, then the model. */
export function makeConversation(sizeBytes: number, before: readonly object[] = []): Buffer {
  const turnBytes = Math.min(CONVERSATION_TURN_BYTES, sizeBytes);
  const text = { type: 'text', text: fill('Some words\nof a "user". ', Math.floor(turnBytes / 6)) };
  const data = Buffer.from(makeRandomBytes(Math.floor(turnBytes / 3))).toString('base64');
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
  const turn = [{ role: 'user', content: [text, image] }, ...makeMessages(text.text, 0), ...makeMessages(text.text, 1)];
  const turns = Array.from({ length: Math.round(sizeBytes / JSON.stringify(turn).length) }, () => turn);
  return toBody([...before, ...turns.flat()]);
}

/** The same, and its first message brought the picture that the model has refused. */
export function makeRefusedConversation(sizeBytes: number): Buffer {
  const source = { type: 'base64', media_type: 'image/png', data: refusedPicture.toString('base64') };
  return makeConversation(sizeBytes, [{ role: 'user', content: [{ type: 'image', source }] }]);
}

/** So many small blocks. */
export const makeSmallBlocks = (count: number): Buffer =>
  makeTextBody(fill('Some words\nof a user. ', count * SMALL_BLOCK_CHARACTERS), SMALL_BLOCK_CHARACTERS);

function makeTextBody(text: string, blockCharacters: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(text.length / blockCharacters) }, (_, index) =>
    text.slice(index * blockCharacters, (index + 1) * blockCharacters),
  );
  return toBody(blocks.flatMap(makeMessages));
}

/** A model says something, and gets the answer of a tool. */
function makeMessages(block: string, index: number): object[] {
  const text = { type: 'text', text: block };
  if (index % 4 === 0) return [{ role: 'assistant', content: [text] }];
  return [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: `call_${index}`, content: [text] }] }];
}

const toBody = (messages: unknown): Buffer => Buffer.from(JSON.stringify({ messages, tools: [], model: 'm' }));
