import { createStore, type Store } from '../store.ts';

type Item = { key: string; previewFile?: Blob | undefined; displayUrl?: string | undefined };

export type Shown = { urls: ReadonlyMap<string, string> };

/** The object URLs of files that have no URL of the server yet. A store for `useSyncExternalStore`. */
export type PreviewUrls = Pick<Store<Shown>, 'getSnapshot' | 'subscribe'> & {
  /** Makes a URL for each item that needs one, and revokes the others. */
  show(items: readonly Item[]): void;
};

type Maker = Pick<typeof URL, 'createObjectURL' | 'revokeObjectURL'>;

/** `maker`: makes and revokes URLs; the browser's own in the product. */
export function createPreviewUrls(maker: Maker): PreviewUrls {
  const { getSnapshot, subscribe, set } = createStore<Shown>({ urls: new Map() });
  return {
    getSnapshot,
    subscribe,
    show(items) {
      const { urls } = getSnapshot();
      const needed = items.filter(({ previewFile, displayUrl }) => previewFile && displayUrl === undefined);
      const next = new Map(
        needed.map(({ key, previewFile }) => [key, urls.get(key) ?? maker.createObjectURL(previewFile as Blob)]),
      );
      const gone = [...urls].filter(([key]) => !next.has(key));
      if (gone.length === 0 && next.size === urls.size) return;
      set({ urls: next });
      for (const [, url] of gone) maker.revokeObjectURL(url);
    },
  };
}
