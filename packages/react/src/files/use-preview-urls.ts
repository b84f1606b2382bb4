import type { DraftItem } from '@attache/client';
import { useEffect, useMemo, useState } from 'react';
import { useStore } from '../store.ts';
import { createPreviewUrls } from './preview-urls.ts';

/** A file of a draft, and the URL of its picture: that of the file itself until the server has one. */
export type AttachmentItem = DraftItem & { previewUrl?: string };

/** Adds previews to files. Their URLs are revoked once they are not shown. */
export function usePreviewUrls(items: readonly DraftItem[]): readonly AttachmentItem[] {
  const [previews] = useState(() => createPreviewUrls(URL));
  useEffect(() => previews.show(items), [previews, items]);
  useEffect(() => () => previews.show([]), [previews]);
  const { urls } = useStore(previews);
  const known = useMemo(() => new WeakMap<DraftItem, AttachmentItem>(), []);
  return useMemo(() => items.map((item) => withPreview(item, urls.get(item.key), known)), [items, urls, known]);
}

// An item that did not change stays the same object, so that its chip is not drawn again.
function withPreview(item: DraftItem, previewUrl: string | undefined, known: WeakMap<DraftItem, AttachmentItem>) {
  if (previewUrl === undefined) return item;
  const before = known.get(item);
  if (before?.previewUrl === previewUrl) return before;
  const shown = { ...item, previewUrl };
  known.set(item, shown);
  return shown;
}
