import { describe, expect, it } from 'vitest';
import { openCode } from '../opencode/opencode.ts';
import { isTurnRequest, type RequestTraits } from './is-turn-request.ts';

const turn: RequestTraits = { hasTools: true, hasAnswerForm: false, hasErrandText: false };

describe('a request is the turn’s own', () => {
  it('where it offers tools, as turns do and titles do not [BX-23]', () => {
    expect(isTurnRequest(openCode, turn)).toBe(true);
    expect(isTurnRequest(openCode, { ...turn, hasTools: false })).toBe(false);
  });

  it.each(['hasAnswerForm', 'hasErrandText'] as const)('but not with %s, whatever it offers', (trait) => {
    expect(isTurnRequest(openCode, { ...turn, [trait]: true })).toBe(false);
  });

  it('also without tools, where a program has none', () => {
    const program = { turnRequests: { carryTools: false, errandTexts: [] } };
    expect(isTurnRequest(program, { ...turn, hasTools: false })).toBe(true);
    expect(isTurnRequest(undefined, { ...turn, hasTools: false })).toBe(false);
  });
});
