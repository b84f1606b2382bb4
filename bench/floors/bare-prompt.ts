import { readFile } from 'node:fs/promises';
import { json } from 'node:stream/consumers';
import { type BareAgent, startBareAgent } from './steps/bare-agent.ts';
import { answerJson, serveFloor } from './steps/serve-floor.ts';

// The least cost of a prompt: a file is read, and a line with it in base64 is written into an agent. No digest, no record, no durable
// step. Argument: the folder and the command of the agent, as JSON. POST /agent starts another agent; POST / with a path returns how
// long it took from the first byte read until the system took the last one, once the agent has answered.

type Prompt = { path: string; mimeType: string; text: string };

const { folder, command } = JSON.parse(process.argv[2] ?? '{}') as { folder: string; command: string[] };
let agent: BareAgent | undefined;
let promptCount = 0;

async function write({ path, mimeType, text }: Prompt): Promise<number> {
  if (!agent) throw new Error('No agent was started.');
  promptCount += 1;
  const startedAt = performance.now();
  const bytes = await readFile(path);
  const { answered } = await agent.write({ id: `prompt-${promptCount}`, text, bytes, mimeType });
  const tookMs = performance.now() - startedAt;
  await answered;
  return tookMs;
}

serveFloor(async (request, response) => {
  if (request.url === '/agent') {
    agent?.end();
    agent = await startBareAgent(command, folder);
    return answerJson(response, 201, {});
  }
  answerJson(response, 200, { tookMs: await write((await json(request)) as Prompt) });
});
