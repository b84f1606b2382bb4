import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react';
import { createDragDepth } from './drag-depth.ts';
import { type Gathered, readDrop } from './read-drop.ts';
import { readPaste } from './read-paste.ts';

type Take = (gathered: Gathered, source: 'drag-drop' | 'clipboard') => void;

type Handlers = {
  onDragEnter?: ((event: DragEvent<HTMLDivElement>) => void) | undefined;
  onDragOver?: ((event: DragEvent<HTMLDivElement>) => void) | undefined;
  onDragLeave?: ((event: DragEvent<HTMLDivElement>) => void) | undefined;
  onDrop?: ((event: DragEvent<HTMLDivElement>) => void) | undefined;
  onPaste?: ((event: ClipboardEvent<HTMLDivElement>) => void) | undefined;
};

/** Whether a drag brings files; the browser leaves it to the handlers then. */
function takes(event: DragEvent): boolean {
  const hasFiles = event.dataTransfer.types.includes('Files');
  if (hasFiles) event.preventDefault();
  return hasFiles;
}

/** Handlers of an element that takes dropped files and folders, and pasted files. Handlers that are given run too. */
export function useGathering(take: Take) {
  const [isDragActive, setDragActive] = useState(false);
  const [depth] = useState(createDragDepth);
  const latest = useRef(take);
  latest.current = take;
  const getRootProps = <Props extends Handlers>(props: Props = {} as Props) => ({
    ...props,
    'data-attache-drag': isDragActive ? '' : undefined,
    onDragEnter(event: DragEvent<HTMLDivElement>) {
      props.onDragEnter?.(event);
      if (takes(event)) setDragActive(depth.enter(event.target, event.currentTarget));
    },
    onDragOver(event: DragEvent<HTMLDivElement>) {
      props.onDragOver?.(event);
      if (takes(event)) event.dataTransfer.dropEffect = 'copy';
    },
    onDragLeave(event: DragEvent<HTMLDivElement>) {
      props.onDragLeave?.(event);
      // A drag that leaves the window no longer says what it carries.
      setDragActive(depth.leave(event.target, event.currentTarget));
    },
    onDrop(event: DragEvent<HTMLDivElement>) {
      props.onDrop?.(event);
      setDragActive(depth.end());
      if (takes(event)) void readDrop(event.dataTransfer).then((gathered) => latest.current(gathered, 'drag-drop'));
    },
    onPaste(event: ClipboardEvent<HTMLDivElement>) {
      props.onPaste?.(event);
      const files = readPaste(event.clipboardData, new Date());
      if (files.length === 0) return;
      event.preventDefault();
      latest.current({ files, unreadable: [] }, 'clipboard');
    },
  });
  return { isDragActive, getRootProps };
}
