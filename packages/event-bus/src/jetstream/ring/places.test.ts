import { expect, it } from 'vitest';
import { createPlaces, type Way } from './places.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('gives no more places than there are, and those that come free to both ways in turn', async () => {
  const places = createPlaces(2);
  const given: string[] = [];
  const ask = (way: Way, name: string) => void places.take(way).then(() => given.push(name));
  ask('ring', 'r1');
  ask('ring', 'r2');
  for (const number of [3, 4]) ask('ring', `r${number}`);
  for (const number of [1, 2, 3]) ask('broker', `b${number}`);
  await turn();
  expect(given).toEqual(['r1', 'r2']);
  for (let freed = 0; freed < 5; freed += 1) {
    places.giveBack();
    await turn();
  }
  expect(given.slice(2)).toEqual(['b1', 'r3', 'b2', 'r4', 'b3']);
  places.giveBack();
  places.giveBack();
  ask('broker', 'last');
  await turn();
  expect(given.at(-1)).toBe('last');
});
