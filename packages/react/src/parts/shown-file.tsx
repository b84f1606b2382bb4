import type { TranscriptAttachment } from '@attache/contracts';
import { createContext, useContext } from 'react';
import type { useDisplayUrls } from '../files/use-display-urls.ts';
import { useWords } from '../provider/context.ts';
import { Icon } from './icon.tsx';

type Shown = ReturnType<typeof useDisplayUrls>;

/** The pictures of a transcript. */
export const ShownFiles = createContext<Shown>({ urls: {}, refresh: () => {} });

/** A file of the conversation: its picture if it is an image, and its name and size. */
export function ShownFile({ file }: { file: TranscriptAttachment }) {
  const words = useWords();
  const { urls, refresh } = useContext(ShownFiles);
  const url = urls[file.id];
  const name = file.name ?? words.strings.fileDeleted;
  return (
    <figure data-attache-part="file" data-attache-kind={file.kind}>
      {url === undefined ? (
        <Icon name={file.kind === 'image' ? 'image' : 'file'} />
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
