import type { AttachmentKind } from '@attache/contracts';
import { useState } from 'react';
import { Icon } from './icon.tsx';

export type ThumbnailProps = {
  kind: AttachmentKind | undefined;
  url: string | undefined;
  /** Shown where `url` cannot be loaded. */
  fallbackUrl?: string | undefined;
};

/** The picture of an image, or the sign of another file. Its name is next to it, so it says nothing to a screen reader. */
export function Thumbnail({ kind, url, fallbackUrl }: ThumbnailProps) {
  const [failed, setFailed] = useState<readonly string[]>([]);
  const shown = [url, fallbackUrl].find((each) => each !== undefined && !failed.includes(each));
  return (
    <span data-attache-part="thumbnail">
      {shown !== undefined && kind === 'image' ? (
        <img
          src={shown}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setFailed((before) => [...before, shown])}
        />
      ) : (
        <Icon name="file" />
      )}
    </span>
  );
}
