import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** An agent's process that is spoken to in lines of JSON, with nothing checked but that it answers. */
export type BareAgent = {
  /** Writes a prompt with a file in base64. Resolves when the system took the last byte; `answered` settles when the turn ended. */
  write(prompt: { id: string; text: string; bytes: Buffer; mimeType: string }): Promise<{ answered: Promise<void> }>;
  /** Ends its input, and so the agent. */
  end(): void;
};

// Multiples of 3, so that the pieces join without padding. Base64 is made in small strings: a large one takes eight times as long.
const PIECE_BYTES = 192 * 1024;
const STRING_BYTES = 24 * 1024;

export async function startBareAgent(command: readonly string[], folder: string): Promise<BareAgent> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env: { HOME: folder }, cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = readAnswers(child);
  const request = (id: string, method: string, params: unknown) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answers.wait(id);
  };
  await request('initialize', 'initialize', { protocolVersion: 1, clientCapabilities: {} });
  const session = (await request('session', 'session/new', { cwd: folder, mcpServers: [] })) as { sessionId: string };
  return {
    async write({ id, text, bytes, mimeType }) {
      const data = '?';
      const prompt = [
        { type: 'text', text },
        { type: 'image', mimeType, data },
      ];
      const params = { sessionId: session.sessionId, prompt };
      const line = JSON.stringify({ jsonrpc: '2.0', id, method: 'session/prompt', params });
      const [head = '', tail = ''] = line.split(`"${data}"`);
      const answered = answers.wait(id).then(() => {});
      await writeChunk(child, Buffer.from(`${head}"`));
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        await writeChunk(child, encode(bytes.subarray(at, at + PIECE_BYTES)));
      }
      await writeChunk(child, Buffer.from(`"${tail}\n`));
      return { answered };
    },
    end: () => child.stdin.end(),
  };
}

function encode(piece: Buffer): Buffer {
  const target = Buffer.allocUnsafe(4 * Math.ceil(piece.length / 3));
  let size = 0;
  for (let at = 0; at < piece.length; at += STRING_BYTES) {
    size += target.write(piece.toString('base64', at, at + STRING_BYTES), size, 'latin1');
  }
  return target;
}

const writeChunk = (child: ChildProcess, chunk: Buffer) =>
  new Promise<void>((resolve, reject) => child.stdin?.write(chunk, (error) => (error ? reject(error) : resolve())));

function readAnswers(child: ChildProcess) {
  const waiting = new Map<string, { resolve(result: unknown): void; reject(error: Error): void }>();
  if (!child.stdout) throw new Error('The agent has no standard output.');
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line);
    if (result !== undefined) waiting.get(id)?.resolve(result);
    else if (error !== undefined) waiting.get(id)?.reject(new Error(`The agent answered ${JSON.stringify(error)}.`));
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('The agent ended.'));
  });
  return {
    wait: (id: string) => new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject })),
  };
}
