import { expect, it } from 'vitest';
import type { Driven, Suite } from '../driven.ts';

/** Refusals in its log with other codes than these. */
function listRefused({ stack }: Driven, ...known: (Readonly<Record<string, string>> | undefined)[]): unknown[] {
  const codes = known.flatMap((each) => Object.keys(each ?? {}));
  return stack.logged('relay.refused').filter(({ refused }) => !codes.includes(String(refused)));
}

/** What the programs' settings keep them from. Comes after what it looks at. */
export const describeRelayed: Suite = (runtime, use) => {
  it(`${runtime.key} asks its model API for nothing that the relay refuses: no WebSocket, no other model, no search of the provider [BX-24]`, () => {
    expect(listRefused(use(), runtime.refusedErrands)).toEqual([]);
  });
};

/** The same after its own tools were called, some of which ask the model API themselves. */
export const describeRelayedTools: Suite = (runtime, use) => {
  it(`tools of ${runtime.key} ask its model API for nothing else that the relay refuses [BX-24]`, () => {
    expect(listRefused(use(), runtime.refusedErrands, runtime.refusedOfTools)).toEqual([]);
  });
};
