import { Fault } from '@attache/contracts';
import { expect, it } from 'vitest';
import { readTogether } from './read-together.ts';

const refuse = (sentence: string) => (): number => {
  throw new Fault('CONFIGURATION_INVALID', sentence);
};

it('gives the parts in their order', () => {
  const [number, word] = readTogether(
    () => 1,
    () => 'one',
  );
  expect([number + 1, word.length]).toEqual([2, 3]);
});

it('refuses all faulty parts at once, and passes any other error on [AT-10]', () => {
  const read = () => readTogether(refuse('A is not set.'), () => 1, refuse('The profile x has no program.'));
  expect(read).toThrow('A is not set.\nThe profile x has no program.');
  const broken = () =>
    readTogether(refuse('A is not set.'), () => {
      throw new TypeError('no');
    });
  expect(broken).toThrow(TypeError);
});
