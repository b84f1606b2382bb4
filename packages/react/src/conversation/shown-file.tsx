import type { TranscriptAttachment } from '@attache/contracts';
import { createContext, useContext } from 'react';
import type { useDisplayUrls } from '../files/use-display-urls.ts';
import { Icon } from '../parts/icon.tsx';
import { useWords } from '../provider/context.ts';

type Shown = ReturnType<typeof useDisplayUrls> & { files: ReadonlyMap<string, TranscriptAttachment> };

/** The files of a transcript as they are now, and the URLs of its pictures. */
export const ShownFiles = createContext<Shown>({ urls: {}, refresh: () => {}, files: new Map() });

/** A file of the conversation: its picture if it is an image, and its name and size. */
export function ShownFile({ file: written }: { file: TranscriptAttachment }) {
  const words = useWords();
  const { urls, refresh, files } = useContext(ShownFiles);
  const file = files.get(written.id) ?? written;
  const url = urls[file.id];
  const name = file.name ?? words.strings.fileDeleted;
  return (
    <figure data-attache-part="file" data-attache-kind={file.kind}>
      {url === undefined ? (
        <Icon name="file" />
      ) : (
        <img src={url} alt={name} loading="lazy" decoding="async" onError={() => refresh(file.id)} />
      )}
      <figcaption>
        <bdi>{name}</bdi>
        {file.sizeBytes !== undefined && <span>{words.bytes(file.sizeBytes)}</span>}
      </figcaption>
    </figure>
  );
}
