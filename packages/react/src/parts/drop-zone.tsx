import type { HTMLAttributes } from 'react';
import type { Attachments } from '../files/use-attachments.ts';
import { useWords } from '../provider/context.ts';
import { Icon } from './icon.tsx';

export type DropZoneProps = HTMLAttributes<HTMLDivElement> & {
  attachments: Pick<Attachments, 'getRootProps' | 'isDragActive'>;
};

/** Takes files and folders that are dropped on it or anything in it, and files that are pasted there. */
export function DropZone({ attachments, children, ...props }: DropZoneProps) {
  const { strings } = useWords();
  return (
    <div data-attache-part="drop-zone" {...attachments.getRootProps(props)}>
      {children}
      {attachments.isDragActive && (
        <div data-attache-part="drop-hint">
          <Icon name="attach" />
          {strings.dropHere}
        </div>
      )}
    </div>
  );
}
