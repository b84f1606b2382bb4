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
