import { expect, it } from 'vitest';
import { judgeModel } from './judge-model.ts';

const endpoint = { api: 'anthropic', baseUrl: '', readKey: async () => undefined, models: ['listed'] } as const;
const errands = [{ kind: 'generate', model: 'title' }, { kind: 'count-tokens' }] as const;

it.each([
  ['generate', true, 'm', undefined],
  ['generate', true, 'listed', undefined],
  ['generate', true, 'title', undefined],
  ['generate', true, 'other', 'relay_model_refused'],
  ['generate', false, 'm', 'relay_outside_turn'],
  ['generate', false, 'title', undefined],
  ['generate', false, 'other', 'relay_model_refused'],
  ['count-tokens', false, 'm', undefined],
  ['count-tokens', false, 'title', 'relay_model_refused'],
  ['count-tokens', true, 'title', 'relay_model_refused'],
] as const)('%s in a turn (%s) of %s: %s', (kind, isInTurn, asked, refused) => {
  expect(judgeModel({ model: 'm', endpoint, errands }, { kind, isInTurn }, asked)).toBe(refused);
});

it.each([
  [undefined, 'any', true, undefined],
  [undefined, 'any', false, 'relay_outside_turn'],
  [['listed'], 'listed', true, undefined],
  [['listed'], 'any', true, 'relay_model_refused'],
] as const)(
  'where the program chooses its model, of %s it may ask %s in a turn (%s): %s',
  (models, asked, isInTurn, refused) => {
    const access = { model: undefined, endpoint: { ...endpoint, models }, errands };
    expect(judgeModel(access, { kind: 'generate', isInTurn }, asked)).toBe(refused);
  },
);
