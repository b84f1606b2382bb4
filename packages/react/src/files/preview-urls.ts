type Shown = { key: string; previewFile?: Blob | undefined; displayUrl?: string | undefined };

/** The object URLs of files that have no URL of the server yet. A store for `useSyncExternalStore`. */
export type PreviewUrls = {
  getSnapshot(): ReadonlyMap<string, string>;
  subscribe(listener: () => void): () => void;
  /** Makes a URL for each item that needs one, and revokes the others. */
  show(items: readonly Shown[]): void;
};

type Maker = Pick<typeof URL, 'createObjectURL' | 'revokeObjectURL'>;

/** `maker`: makes and revokes URLs; the browser's own in the product. */
export function createPreviewUrls(maker: Maker): PreviewUrls {
  let urls: ReadonlyMap<string, string> = new Map();
  const listeners = new Set<() => void>();
  return {
    getSnapshot: () => urls,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    show(items) {
      const needed = new Map<string, Blob>();
      for (const { key, previewFile, displayUrl } of items)
        if (previewFile && displayUrl === undefined) needed.set(key, previewFile);
      const gone = [...urls].filter(([key]) => !needed.has(key));
      const fresh = [...needed].filter(([key]) => !urls.has(key));
      if (gone.length === 0 && fresh.length === 0) return;
      const kept = [...urls].filter(([key]) => needed.has(key));
      urls = new Map([...kept, ...fresh.map(([key, file]) => [key, maker.createObjectURL(file)] as const)]);
      for (const [, url] of gone) maker.revokeObjectURL(url);
      for (const listener of listeners) listener();
    },
  };
}
