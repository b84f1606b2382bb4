import { isAttacheError, type SessionClient } from '@attache/client';
import { useCallback, useEffect, useRef, useState } from 'react';

/** As many as one request may name. */
const BATCH = 100;

/** Signed URLs of pictures that are shown, by attachment: of previews, or of the originals where there is none. `refresh` asks again for one that expired. */
export function useDisplayUrls(session: SessionClient, ids: readonly string[]) {
  const [urls, setUrls] = useState<Readonly<Record<string, string>>>({});
  const asked = useRef(new Map<string, number>());
  const ask = useCallback(
    async (wanted: readonly string[]) => {
      for (let at = 0; at < wanted.length; at += BATCH) {
        const found = await createUrls(session, wanted.slice(at, at + BATCH));
        setUrls((before) => ({ ...before, ...found }));
      }
    },
    [session],
  );
  const key = ids.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` holds the ids.
  useEffect(() => {
    const wanted = ids.filter((id) => !asked.current.has(id));
    for (const id of wanted) asked.current.set(id, 1);
    void ask(wanted);
  }, [ask, key]);
  const refresh = useCallback(
    (id: string) => {
      const times = asked.current.get(id) ?? 0;
      asked.current.set(id, times + 1);
      // A second failure is not that of an expired URL.
      if (times < 2) void ask([id]);
    },
    [ask],
  );
  return { urls, refresh };
}

async function createUrls(session: SessionClient, ids: readonly string[]): Promise<Record<string, string>> {
  try {
    const { urls, missing } = await session.createUrls(ids, { variant: 'preview' });
    const withoutPreview = missing.flatMap(({ attachmentId, what }) => (what === 'variant' ? attachmentId : []));
    const rest = withoutPreview.length === 0 ? [] : (await session.createUrls(withoutPreview)).urls;
    return Object.fromEntries([...urls, ...rest].map(({ attachmentId, url }) => [attachmentId, url]));
  } catch (error) {
    // A caller who may not make URLs sees names without pictures.
    if (isAttacheError(error)) return {};
    throw error;
  }
}
