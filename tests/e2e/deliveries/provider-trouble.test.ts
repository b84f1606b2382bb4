// hosted: long – the gateway reads the relay's own report on both stacks, and its unit tests hold each case
import type { ServerResponse } from 'node:http';
import { scriptedAgent } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { type ModelProvider, startModelProvider } from '../steps/model-provider.ts';
import { type Place, takeTurn } from '../steps/turns.ts';

const command = [process.execPath, scriptedAgent, 'claude-agent-acp'];

let provider: ModelProvider;
let stack: OwnStack;
let place: Place;

beforeAll(async () => {
  provider = await startModelProvider();
  const endpoint = { api: 'anthropic', baseUrl: provider.url } as const;
  const asking = { runtime: 'acp', command, ownTools: 'none', provider: 'anthropic', endpoint } as const;
  stack = await openOwnStack({ profiles: { asking } });
  place = await stack.api.createSession({ profile: 'asking', model: 'model-1' });
});
afterAll(async () => {
  await stack?.stop();
  await provider?.stop();
});

type Answer = (response: ServerResponse) => void;
const refuse =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end('{}');

describe('the failure of a turn whose model could not be asked', () => {
  it.each<[string, Answer, object]>([
    ['away with 502', refuse(502), { code: 'delivery_runtime_transport_failed', safeDetails: { status: 502 } }],
    ['cut off', (response) => void response.destroy(), { code: 'delivery_runtime_transport_failed' }],
    [
      'limited for two seconds',
      refuse(429, { 'retry-after': '2' }),
      { code: 'attachment_provider_rate_limited', safeDetails: { status: 429, retryAfterSeconds: 2 } },
    ],
    ['without the model', refuse(404), { code: 'delivery_runtime_transport_failed', safeDetails: { status: 404 } }],
    ['not open to its key', refuse(403), { code: 'delivery_agent_auth_required', safeDetails: { status: 403 } }],
  ])(
    'says that its provider is %s, may be retried, and the next turn is a turn [DL-38 DL-57]',
    async (_, answer, failure) => {
      provider.behave(answer);
      const { delivery } = await takeTurn(stack.api, place, 'do: need-model');
      expect(delivery).toMatchObject({ status: 'failed', failure: { ...failure, retryable: true } });
      provider.behave(undefined);
      expect((await takeTurn(stack.api, place, 'do: need-model')).delivery.status).toBe('responded');
    },
  );
});
