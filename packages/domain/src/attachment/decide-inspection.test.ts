import { type Failure, idFromUuid } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { decideInspection, type InspectionFact } from './decide-inspection.ts';

const id = idFromUuid('attachment', '11111111-1111-4111-8111-111111111111');
const pending = { id, status: 'pending' } as const;
const projector = { type: 'service', id: 'projector' } as const;
const failure: Failure = {
  ...{ code: 'attachment_corrupt', severity: 'error', userMessage: 'm', diagnostic: 'd', retryable: false },
};
const found = { kind: 'text', mimeType: 'text/plain', facts: {} } as const;

describe('the end of an inspection', () => {
  it('makes a pending attachment ready, with the facts that were found [DL-43]', () => {
    expect(decideInspection(pending, { kind: 'found-ready', found })).toEqual({
      to: 'ready',
      event: { kind: 'attachment.ready', actor: projector, data: { attachmentId: id, ...found } },
    });
  });

  it.each(['ingest', 'runner-gateway'] as const)('is found by %s in what passed', (by) => {
    const decided = decideInspection(pending, { kind: 'found-in-passing', found, by });
    const actor = { type: 'service', id: by };
    expect(decided).toMatchObject({ to: 'ready', event: { kind: 'attachment.ready', actor } });
  });

  it('rejects it with its failure and code [DL-43]', () => {
    expect(decideInspection(pending, { kind: 'found-faulty', failure })).toEqual({
      ...{ to: 'rejected', failure },
      event: { kind: 'attachment.rejected', actor: projector, data: { attachmentId: id, failure } },
    });
  });

  it('rejects it with the name of the letter that its message became [W10]', () => {
    const decided = decideInspection(pending, { kind: 'message-died', letterId: 'letter-1', consumer: 'projector' });
    const named = { code: 'attachment_pending', retryable: true, safeDetails: { deadLetter: 'letter-1' } };
    expect(decided).toMatchObject({ to: 'rejected', failure: named, event: { data: { failure: named } } });
  });

  it.each(['ready', 'rejected'] as const)('changes nothing of one that is %s', (status) => {
    const facts: InspectionFact[] = [
      { kind: 'found-ready', found },
      { kind: 'found-in-passing', found, by: 'ingest' },
      { kind: 'found-faulty', failure },
      { kind: 'message-died', letterId: 'letter-1', consumer: 'projector' },
    ];
    for (const fact of facts) expect(decideInspection({ id, status }, fact)).toBeUndefined();
  });
});
