import { agentFolders } from '@attache/agent-process';
import { Fault } from '@attache/contracts';
import { labelFile, sanitizeName } from '@attache/domain';
import { storeOutput } from '../granted/store-output.ts';
import type { AgentTool, ToolScope } from './agent-tool.ts';
import { openBeneath } from './open-beneath.ts';
import { answerFacts, type ToolAnswer } from './tool-answer.ts';
import { type SaveInput, saveInput } from './tool-inputs.ts';

export const SAVE_TOOL = 'attachment_save_output';

export const saveTool: AgentTool = {
  name: SAVE_TOOL,
  title: 'Save an output',
  description:
    'Stores a file that you made as an attachment of the session, so that people and other agents can see it. Give its content by exactly one of text, base64 and path. To show it, say [attachment id=… type=… name="…"] with what is answered.',
  input: saveInput,
  isReadOnly: false,
  run: (scope, input) => save(scope, input as SaveInput),
};

/** A file may still change while it is read: then `maxOutputBytes` ends it, and not the size that it had. */
type Content = { stream: AsyncIterable<Uint8Array>; head: Uint8Array; sizeBytes: number; isFixed: boolean };

const HEAD_BYTES = 4100;

async function save(scope: ToolScope, input: SaveInput): Promise<ToolAnswer> {
  const { text, base64, path } = input;
  if ([text, base64, path].filter((content) => content !== undefined).length !== 1)
    throw new Fault('INVALID_REQUEST', 'Give the content by exactly one of text, base64 and path.');
  if (path === undefined) {
    const bytes = text === undefined ? decodeBase64(base64 ?? '') : Buffer.from(text);
    return store(scope, input, { stream: yieldOnce(bytes), head: bytes, sizeBytes: bytes.length, isFixed: true });
  }
  await using file = await openBeneath(agentFolders(scope.owner.folder).work, path);
  const { size: sizeBytes } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const stream = file.createReadStream({ autoClose: false, start: 0 });
  return await store(scope, input, { stream, head: buffer.subarray(0, bytesRead), sizeBytes, isFixed: false });
}

async function store({ deps, owner }: ToolScope, input: SaveInput, content: Content): Promise<ToolAnswer> {
  const { name, mimeType, dryRun } = input;
  const { maxOutputBytes } = deps.settings;
  const { stream, sizeBytes, isFixed } = content;
  if (sizeBytes === 0) throw new Fault('NO_FILE', 'The content is empty. Give at least one byte.');
  if (sizeBytes > maxOutputBytes)
    throw new Fault('PAYLOAD_TOO_LARGE', `An output may have ${maxOutputBytes} bytes; this has ${sizeBytes}.`);
  if (dryRun) return answerFacts({ dryRun, ...describe(content.head, input), sizeBytes });
  const output = { stream, sizeBytes: isFixed ? sizeBytes : undefined, name, declaredMimeType: mimeType };
  return answerFacts(await storeOutput(deps, owner, output));
}

// As it would be answered if it were stored.
function describe(head: Uint8Array, input: SaveInput): { name: string; mimeType: string } {
  const name = sanitizeName(input.name, 'attachment');
  return { name, mimeType: labelFile(head, { name, declaredMimeType: input.mimeType }) };
}

async function* yieldOnce(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function decodeBase64(text: string): Buffer {
  // The decoder would skip what it does not know.
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) return Buffer.from(text, 'base64');
  throw new Fault('INVALID_REQUEST', 'The content is not whole base64, with its filling and without line ends.');
}
