/** A decoder in WebAssembly: loaded when first needed, so that workers start fast, and kept until it fails. */
export type KeptLibrary<T> = {
  load(): Promise<T>;
  /** Forgets a decoder that was left in an unknown state; the next job gets a new one. */
  drop(): void;
};

/** Keeps what `start` gives. */
export function keepLibrary<T>(start: () => Promise<T>): KeptLibrary<T> {
  let loading: Promise<T> | undefined;
  return {
    load() {
      loading ??= start();
      return loading;
    },
    drop() {
      loading = undefined;
    },
  };
}

/** Whether a decoder in WebAssembly gave up amid its work. Errors of C++ come out as bare numbers. */
export function isLibraryFailure(error: unknown): boolean {
  return !(error instanceof Error) || error.name === 'RuntimeError' || error instanceof RangeError;
}
