import type { ReactNode } from 'react';
import { useWords } from '../provider/context.ts';

type EntryFrameProps = { by: 'person' | 'agent'; name: string; at: string; children: ReactNode };

/** An entry with its author and time. */
export function EntryFrame({ by, name, at, children }: EntryFrameProps) {
  const words = useWords();
  return (
    <article data-attache-part="entry" data-attache-author={by}>
      <header>
        <bdi data-attache-part="author">{name}</bdi>
        <time dateTime={at}>{words.time(at, new Date())}</time>
      </header>
      {children}
    </article>
  );
}
