import { deliveryStatuses } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { deliveryTransitions, isAllowedAttachmentTransition, isAllowedTransition } from './plan-transitions.ts';

describe('transitions of a delivery', () => {
  it.each([
    ['queued', 'prepared', 'projector', true],
    ['prepared', 'claimed', 'runner-gateway', true],
    ['claimed', 'prepared', 'runner-gateway', true],
    ['written', 'responded', 'runner-gateway', true],
    ['failed', 'queued', 'ingest', true],
    ['claimed', 'cancelled', 'ingest', true],
    ['queued', 'prepared', 'ingest', true],
    ['queued', 'prepared', 'runner-gateway', false],
    ['queued', 'claimed', 'runner-gateway', false],
    ['prepared', 'claimed', 'projector', false],
    ['written', 'prepared', 'runner-gateway', true],
    ['written', 'cancelled', 'ingest', false],
    ['failed', 'queued', 'runner-gateway', false],
  ] as const)('%s → %s by %s: %s [DL-61 DL-42]', (from, to, actor, allowed) => {
    expect(isAllowedTransition({ from, to, actor })).toBe(allowed);
  });

  it('never leaves responded or cancelled, and comes back from written only to be delivered again [DL-61]', () => {
    const ways = (from: string) => deliveryTransitions.filter((change) => change.from === from).map(({ to }) => to);
    expect(ways('responded')).toEqual([]);
    expect(ways('cancelled')).toEqual([]);
    expect(ways('written').toSorted()).toEqual(['failed', 'prepared', 'responded']);
  });

  it('reaches every status from queued', () => {
    const reached = new Set<string>(['queued']);
    for (let size = 0; size < reached.size; ) {
      size = reached.size;
      for (const { from, to } of deliveryTransitions) if (reached.has(from)) reached.add(to);
    }
    expect([...reached].toSorted()).toEqual([...deliveryStatuses].toSorted());
  });
});

describe('transitions of an attachment', () => {
  it.each([
    ['pending', 'ready', 'projector', true],
    ['pending', 'rejected', 'projector', true],
    ['rejected', 'deleted', 'ingest', true],
    ['rejected', 'pending', 'ingest', true],
    ['rejected', 'pending', 'projector', false],
    ['pending', 'ready', 'ingest', true],
    ['pending', 'ready', 'runner-gateway', true],
    ['pending', 'rejected', 'ingest', false],
    ['pending', 'rejected', 'runner-gateway', false],
    ['ready', 'rejected', 'projector', false],
    ['deleted', 'ready', 'ingest', false],
  ] as const)('%s → %s by %s: %s', (from, to, actor, allowed) => {
    expect(isAllowedAttachmentTransition({ from, to, actor })).toBe(allowed);
  });
});
