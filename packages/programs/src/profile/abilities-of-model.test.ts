import { expect, it } from 'vitest';
import { abilitiesOfModel } from './abilities-of-model.ts';

const command = ['pi'];
const listed = { profile: 'p', runtime: 'pi-rpc', provider: 'anthropic', model: 'claude-sonnet-5' } as const;
const unlisted = { ...listed, model: 'nobody-knows' };

it.each([
  ['the catalog alone', listed, undefined, { image: 'yes', pdf: 'yes', audio: 'no' }],
  ['the catalog, narrowed by the profile', listed, { image: false }, { image: 'no', pdf: 'yes', audio: 'no' }],
  ['the profile alone', unlisted, { image: true, pdf: false }, { image: 'yes', pdf: 'no', audio: 'unknown' }],
  ['nobody', unlisted, undefined, { image: 'unknown', pdf: 'unknown', audio: 'unknown', text: 'yes' }],
] as const)(
  'what a model takes is by %s what a plan decides by [BX-19 BX-23 DL-06]',
  (_, target, capability, takes) => {
    expect(abilitiesOfModel(target, { command, capability })).toMatchObject(takes);
  },
);
