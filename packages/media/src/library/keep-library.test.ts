import { expect, it } from 'vitest';
import { isLibraryFailure, keepLibrary } from './keep-library.ts';

it('starts a library when it is first needed, once, and again after it failed', async () => {
  let starts = 0;
  const library = keepLibrary(async () => {
    starts += 1;
    return starts;
  });
  expect(starts).toBe(0);
  expect([await library.load(), await library.load()]).toEqual([1, 1]);
  library.drop();
  expect(await library.load()).toBe(2);
});

it('tells a library that gave up from other errors', () => {
  const trap = Object.assign(new Error('unreachable'), { name: 'RuntimeError' });
  for (const error of [trap, new RangeError('Maximum call stack size exceeded'), 5_280_016]) {
    expect(isLibraryFailure(error)).toBe(true);
  }
  expect(isLibraryFailure(Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' }))).toBe(false);
});
