import { type MouseEvent, type RefObject, useCallback } from 'react';
import type { Attachments } from '../files/use-attachments.ts';
import { useWords } from '../provider/context.ts';
import { AttachmentChip } from './attachment-chip.tsx';

export type AttachmentListProps = {
  attachments: Pick<Attachments, 'items' | 'remove' | 'cancel' | 'retry'>;
  /** Takes the focus once the last file is removed. */
  focusWhenEmpty?: RefObject<HTMLElement | null>;
};

/** The files of a draft. After a removal the focus moves to the next file, or to the one before. */
export function AttachmentList({ attachments, focusWhenEmpty }: AttachmentListProps) {
  const { strings } = useWords();
  const { items, remove, cancel, retry } = attachments;
  const moveFocus = useCallback(
    ({ target, currentTarget }: MouseEvent) => {
      const chip = (target as Element).closest('[data-attache-part="remove"]')?.closest('li');
      // Files of a message on its way stay in the list; a press elsewhere is no removal.
      if (!chip || !currentTarget.contains(chip)) return;
      const neighbour = chip.nextElementSibling ?? chip.previousElementSibling;
      const next = neighbour?.querySelector<HTMLElement>('[data-attache-part="remove"]') ?? focusWhenEmpty?.current;
      next?.focus();
    },
    [focusWhenEmpty],
  );
  if (items.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a press of a key on its buttons is a click too.
    <ul data-attache-part="list" aria-label={strings.attachedFiles} onClick={moveFocus}>
      {items.map((item) => (
        <AttachmentChip key={item.key} item={item} onRemove={remove} onCancel={cancel} onRetry={retry} />
      ))}
    </ul>
  );
}
