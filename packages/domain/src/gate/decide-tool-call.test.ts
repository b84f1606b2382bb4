import { describe, expect, it } from 'vitest';
import { decideToolCall, idsToLookUp, TOOL_CALL_DENIED } from './decide-tool-call.ts';

const granted = 'att_ABEiM0RVZneImaq7zN3u_w';
const other = 'att_AAAAAAAAAAAAAAAAAAAAAA';
const permitted = new Set([granted]);

describe('the decision on a tool call', () => {
  it('lets a call run that names nothing, or only what is permitted', () => {
    expect(decideToolCall({ candidates: [], permitted: new Set() })).toEqual({ decision: 'allow' });
    expect(decideToolCall({ candidates: [granted], permitted })).toEqual({ decision: 'allow' });
  });

  it.each([
    ['another attachment', [other]],
    ['another one beside a permitted one', [granted, other]],
    ['a permitted one in another letter case', [granted.toLowerCase()]],
    ['a permitted one, spelled right and wrong', [granted, granted.toUpperCase()]],
  ])('denies %s, with one reason [AT-31 S2]', (_, candidates) => {
    expect(decideToolCall({ candidates, permitted })).toEqual({ decision: 'deny', reason: TOOL_CALL_DENIED });
  });

  it('denies whatever is named where nothing is known to be permitted [AT-31]', () => {
    expect(decideToolCall({ candidates: [granted], permitted: new Set() })).toMatchObject({ decision: 'deny' });
  });
});

describe('the ids to look up', () => {
  it('are all candidates, where each is an id', () => {
    expect(idsToLookUp([granted, other])).toEqual([granted, other]);
    expect(idsToLookUp([])).toEqual([]);
  });

  it('are none at all where one candidate cannot be an id [AT-31 S2]', () => {
    expect(idsToLookUp([granted, granted.toUpperCase()])).toBeUndefined();
  });
});
