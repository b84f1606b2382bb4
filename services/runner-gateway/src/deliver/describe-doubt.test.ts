import { describe, expect, it } from 'vitest';
import { openTurn, type SeenRequest } from '../output/output-sink.ts';
import type { ModelCalls } from './compose-receipt.ts';
import { describeDoubt } from './describe-doubt.ts';

const agent = { id: '0190163d-8694-739b-aea5-966c26f8ad90', provider: 'someone', model: 'm' };

const answered = (status: number): SeenRequest => ({
  hasEnded: true,
  request: { blocks: [], answer: { status, hasBegun: true, refusal: undefined } } as unknown as SeenRequest['request'],
});
const errand: SeenRequest = { hasEnded: true, request: undefined };

function byRelay(requests: SeenRequest[], leftCount: number): ModelCalls {
  const turn = openTurn({ deliveryId: 'dlv_AAAAAAAAAAAAAAAAAAAAAA', trace: undefined });
  turn.requests.push(...requests);
  turn.use.requests = leftCount;
  const contents = {} as Extract<ModelCalls, { by: 'relay' }>['evidence']['contents'];
  return { by: 'relay', evidence: { turn, parts: [], contents, attachments: [] } };
}

const unopened = { attachmentId: 'att_AAAAAAAAAAAAAAAAAAAAAA', form: 'tool', verdict: 'unknown' } as const;
const opened = { ...unopened, sha256: 'a'.repeat(64), sizeBytes: 1 };

const doubt = (given: Partial<Parameters<typeof describeDoubt>[1]>, items: object[] = []) =>
  describeDoubt(
    { agent },
    { stopReason: 'end_turn', modelCalls: { by: 'nobody' }, lacksTools: false, ...given },
    { items: items as never },
  );

describe('a turn that ended well', () => {
  it.each<[string, ModelCalls, string | undefined]>([
    ['without any request', byRelay([], 0), 'no request of the turn left'],
    ['with requests that the relay refused', byRelay([errand, errand], 0), 'no request of the turn left'],
    ['with requests that its provider refused', byRelay([answered(500), answered(429)], 2), 'accepted no request'],
    ['behind a proxy that saw no connection', { by: 'program', hasConnected: false }, 'no connection left the sandbox'],
    ['with a request that was answered', byRelay([answered(500), answered(200)], 2), undefined],
    ['with errands alone, which may be what is not known of it', byRelay([errand], 1), undefined],
    ['with a request that has not ended', byRelay([{ hasEnded: false, request: undefined }], 0), undefined],
    ['behind a proxy that saw one', { by: 'program', hasConnected: true }, undefined],
    ['where nothing can be known', { by: 'program' }, undefined],
    ['and asks no model', { by: 'nobody' }, undefined],
  ])('%s: says what is known of its model [DL-58]', (_, modelCalls, diagnostic) => {
    const found = doubt({ modelCalls });
    expect(found?.diagnostic ?? '').toContain(diagnostic ?? '');
    expect([found?.code, found?.severity]).toEqual(
      diagnostic === undefined ? [undefined, undefined] : ['delivery_runtime_transport_failed', 'warning'],
    );
  });

  it('says that its files could not be opened, where its program knows no tool that opens them [DL-58]', () => {
    const told = { code: 'attachment_runtime_unsupported', severity: 'warning' };
    expect(doubt({ lacksTools: true }, [opened, unopened])).toMatchObject(told);
    expect(doubt({ lacksTools: true }, [opened])).toBeUndefined();
    expect(doubt({ lacksTools: true }, [{ ...opened, form: 'native' }])).toBeUndefined();
    expect(doubt({ lacksTools: false }, [unopened])).toBeUndefined();
  });
});

it('a turn that somebody stopped is not expected to ask', () => {
  expect(doubt({ stopReason: 'cancelled', modelCalls: byRelay([], 0) })).toBeUndefined();
});
