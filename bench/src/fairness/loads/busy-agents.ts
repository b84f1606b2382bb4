import { fileURLToPath } from 'node:url';
import { type Profile, profileSchema } from '@attache/contracts';
import { createHttpClient } from '../../product/http-client.ts';
import { createSession, endSession, sendMessage } from '../../product/product-calls.ts';
import { createCounts, type StartLoad } from './load.ts';
import { openStreams } from './open-streams.ts';

const FOLLOWERS = 1_000;

/** The profile of the agents of these loads. Its program asks no model, and reads no file. */
export const busyProfile: Profile = profileSchema.parse({
  runtime: 'acp',
  command: [process.execPath, fileURLToPath(new URL('./busy-agent.ts', import.meta.url))],
  // It asks about a tool of its own, and reaches its gateway alone.
  ...{ permissionMode: 'gated', sandbox: { network: 'none' } },
});

/** An agent in a turn that does one thing without end, followed by so many. */
function startBusyAgent(deed: 'talk' | 'call' | 'ask', followers: number): StartLoad {
  return async ({ url, apiKey }) => {
    const client = createHttpClient(url, { authorization: `Bearer ${apiKey}` });
    const { session, agent } = await createSession(client, { profile: 'busy', model: 'busy' });
    const { counts, add } = createCounts();
    const streams = await openStreams(client, session.id, { count: followers, add });
    await sendMessage(client, session.id, { to: [agent.id], text: `do: ${deed}`, attachmentIds: [] });
    return {
      async end() {
        for (const stream of streams) stream.destroy();
        await endSession(client, session.id);
        client.close();
        return counts;
      },
    };
  };
}

/** A thousand followers of an agent that says a word every few milliseconds. */
export const startTalkingAgent = startBusyAgent('talk', FOLLOWERS);
/** An agent that calls its tools over many connections, each again as soon as it was answered. */
export const startCallingAgent = startBusyAgent('call', 1);
/** An agent that asks on and on whether a command may run, whose text is costly to judge. */
export const startAskingAgent = startBusyAgent('ask', 1);
