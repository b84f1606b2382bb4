import { expect, it } from 'vitest';
import type { Suite } from '../driven.ts';

/** What the programs' settings keep them from. The last but for what ends the session: it looks at all that came before. */
export const describeRelayed: Suite = (runtime, use) => {
  it(`${runtime.key} asks its model API for nothing that the relay refuses: no WebSocket, no other model, no search of the provider [BX-24]`, () => {
    const isOfTool = ({ refused, model }: Record<string, unknown>) =>
      refused === 'relay_model_refused' && runtime.modelsOfTools?.includes(String(model)) === true;
    expect(use().stack.logged('relay.refused').filter((line) => !isOfTool(line))).toEqual([]);
  });
};
