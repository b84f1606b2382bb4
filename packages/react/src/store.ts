import { useMemo, useSyncExternalStore } from 'react';

/** A value for `useSyncExternalStore`, with a way to change it. */
export type Store<T> = {
  getSnapshot(): T;
  subscribe(listener: () => void): () => void;
  set(change: Partial<T>): void;
};

export function createStore<T extends object>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    getSnapshot: () => value,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(change) {
      value = { ...value, ...change };
      for (const listener of listeners) listener();
    },
  };
}

/** The value of a store, or of a draft, as a component shows it; a server renders its first one. */
export const useStore = <T>({ subscribe, getSnapshot }: Pick<Store<T>, 'subscribe' | 'getSnapshot'>): T =>
  useSyncExternalStore(subscribe, getSnapshot, getSnapshot);

/** State that belongs to an owner, such as a draft: another owner begins with the initial value, and a change that comes late is for the one before. */
export function useOwnStore<T extends object>(owner: object, initial: T): Store<T> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each owner has a store of its own.
  return useMemo(() => createStore(initial), [owner]);
}
