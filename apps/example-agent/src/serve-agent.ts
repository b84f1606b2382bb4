import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  type PromptRequest,
  RequestError,
} from '@agentclientprotocol/sdk';
import { createToolContext } from '@attache/agent-kit';
import { answerPrompt } from './answer-prompt.ts';
import type { Config } from './config.ts';

const PROTOCOL_VERSION = 1;
const VERSION = '0.1.0';

/** Serves the Agent Client Protocol on standard input and output until the input ends. */
export async function serveAgent(config: Config): Promise<void> {
  const sessions = new Map<string, AbortController>();
  const tools = createToolContext();
  const prompt = async ({ params, client }: { params: PromptRequest; client: AgentContext }) => {
    if (!sessions.has(params.sessionId)) throw RequestError.invalidParams('unknown session');
    const turn = new AbortController();
    sessions.set(params.sessionId, turn);
    return await answerPrompt({ params, client, config, tools, signal: turn.signal });
  };
  const connection = agent({ name: 'attache-example-agent' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'attache-example-agent', version: VERSION },
      agentCapabilities: { promptCapabilities: promptCapabilitiesOf(config) },
    }))
    .onRequest(methods.agent.session.new, () => {
      const sessionId = randomUUID();
      sessions.set(sessionId, new AbortController());
      return { sessionId };
    })
    .onRequest(methods.agent.session.prompt, prompt)
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.abort())
    .connect(standardStreams(config));
  await connection.closed;
}

// The abilities of the program. Which of them a model has is another question, and not the protocol's.
function promptCapabilitiesOf({ model }: Config) {
  const isTextOnly = model === 'example-text';
  return { image: !isTextOnly, audio: !isTextOnly, embeddedContext: true };
}

function standardStreams({ maxMessageBytes }: Config) {
  const output: WritableStream<Uint8Array> = Writable.toWeb(process.stdout);
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  return ndJsonStream(output, input, maxMessageBytes === undefined ? {} : { maxMessageBytes });
}
