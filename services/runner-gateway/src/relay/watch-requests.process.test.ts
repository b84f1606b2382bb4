import type { RelayedRequest } from '@attache/model-relay';
import { createLogger, currentTrace, type TraceCarrier, withSpan } from '@attache/telemetry';
import { type FinishedSpan, startTelemetry } from '@attache/telemetry/setup';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTurn } from '../output/output-sink.ts';
import { createTurnSlot } from '../output/turn-slot.ts';
import { watchRequests } from './watch-requests.ts';

let finished: FinishedSpan[] = [];
beforeAll(async () => {
  await startTelemetry({ serviceName: 'test', isExporting: false, onSpanEnd: (span) => finished.push(span) });
});
beforeEach(() => {
  finished = [];
});

const answered: RelayedRequest = {
  ...{ agentId: 'agt_ABEiM0RVZneImaq7zN3u_w', epoch: 1, method: 'POST', kind: 'generate', model: 'm', status: 200 },
  ...{ refused: undefined, isWhole: true, requestBytes: 1_000, responseBytes: 200, firstByteMs: 12 },
  ...{ content: undefined, answer: undefined, hasLeft: true, usage: undefined },
  isCounted: false,
};

async function watch(record: Partial<RelayedRequest>, trace?: TraceCarrier) {
  const log = createLogger({ service: 'test', level: 'silent' });
  const turns = createTurnSlot();
  if (trace !== undefined) turns.setTurn(openTurn({ deliveryId: 'dlv_ABEiM0RVZneImaq7zN3u_w', trace }));
  watchRequests(log, { api: 'google', model: 'm', program: undefined, turns, noteUse: undefined })()({
    ...answered,
    ...record,
  });
  return finished.find(({ name }) => name === 'relay.request');
}

describe('the span of a request to a model', () => {
  it('hangs under the turn in which it began, and has sizes and its status [BX-12]', async () => {
    const trace = await withSpan({ name: 'turn', parent: 'root' }, async () => currentTrace());
    const span = await watch({}, trace);
    expect(span?.parentSpanId).toBe(finished.find(({ name }) => name === 'turn')?.spanId);
    expect(span?.attributes).toEqual({
      'gen_ai.operation.name': 'generate_content',
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.agent.id': 'agt_ABEiM0RVZneImaq7zN3u_w',
      'gen_ai.request.model': 'm',
      'http.request.body.size': 1_000,
      'http.response.body.size': 200,
      'http.response.status_code': 200,
    });
  });

  it.each([
    [{ status: 400 }, '400'],
    [{ status: 403, refused: 'relay_model_refused' }, 'relay_model_refused'],
    [{ status: undefined, isWhole: false }, 'lost'],
  ] as const)('names what went wrong: %j', async (record, type) => {
    expect((await watch(record))?.attributes).toMatchObject({ 'error.type': type });
  });

  it('is a trace of its own between turns', async () => {
    expect((await watch({ kind: 'count-tokens' }))?.parentSpanId).toBeUndefined();
  });
});

it.each([
  [400, true],
  [413, true],
  [401, false],
  [429, false],
  [529, false],
] as const)('a turn keeps the reason of a status %i as one against what it held: %s [DL-58]', (status, isKept) => {
  const log = createLogger({ service: 'test', level: 'silent' });
  const turns = createTurnSlot();
  const turn = openTurn({ deliveryId: 'dlv_ABEiM0RVZneImaq7zN3u_w', trace: undefined });
  turns.setTurn(turn);
  const watched = { api: 'google', model: 'm', program: undefined, turns, noteUse: undefined } as const;
  const answer = { status, hasBegun: false, refusal: { status, text: '{}' } };
  watchRequests(log, watched)()({ ...answered, status, answer });
  expect(turn.refusal?.status).toBe(isKept ? status : undefined);
});
