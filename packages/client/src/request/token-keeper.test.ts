import { describe, expect, it } from 'vitest';
import { createTokenKeeper } from './token-keeper.ts';

function createSource(tokens: (string | Error)[]) {
  const asked: boolean[] = [];
  const getToken = async ({ isRefresh }: { isRefresh: boolean }) => {
    asked.push(isRefresh);
    await Promise.resolve();
    const token = tokens[asked.length - 1] ?? 'last';
    if (token instanceof Error) throw token;
    return token;
  };
  return { asked, keeper: createTokenKeeper(getToken) };
}

describe('the token of a client', () => {
  it('is asked once for all requests', async () => {
    const { asked, keeper } = createSource(['one']);
    expect(await Promise.all([keeper.read(), keeper.read()])).toEqual(['one', 'one']);
    expect(asked).toEqual([false]);
  });

  it('is replaced once, however many requests were refused with it', async () => {
    const { asked, keeper } = createSource(['one', 'two']);
    await keeper.read();
    expect(await Promise.all([1, 2, 3].map(() => keeper.replace('one')))).toEqual(['two', 'two', 'two']);
    expect(await keeper.replace('one')).toBe('two');
    expect(asked).toEqual([false, true]);
  });

  it('is asked again after it could not be had', async () => {
    const { asked, keeper } = createSource([new Error('offline'), 'two']);
    await expect(keeper.read()).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE', retryable: true });
    expect(await keeper.read()).toBe('two');
    expect(asked).toEqual([false, false]);
  });

  it('is none where nobody gives one', async () => {
    expect(await createTokenKeeper(undefined).read()).toBeUndefined();
  });
});
