import { afterAll, beforeAll, describe } from 'vitest';
import type { BlobStore } from '../src/blob-store.ts';
import { describePut } from './put.contract.ts';
import { describeRead } from './read.contract.ts';

/** A store that is used by one suite; `close` removes what it holds. */
export type OpenedStore = { store: BlobStore; close(): Promise<void> };

/** The behaviour that every blob store must show, tested on a real one. Keys are random, so that a shared bucket serves too. */
export function describeBlobStore(name: string, openStore: () => Promise<OpenedStore>): void {
  describe(`${name}: blob store contract`, () => {
    let opened: OpenedStore | undefined;
    beforeAll(async () => {
      opened = await openStore();
    });
    afterAll(() => opened?.close());
    const useStore = (): BlobStore => {
      if (opened === undefined) throw new Error('The store is not open.');
      return opened.store;
    };
    describePut(useStore);
    describeRead(useStore);
  });
}
