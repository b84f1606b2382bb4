import { memo, useEffect, useRef } from 'react';
import type { AttachmentItem } from '../files/use-preview-urls.ts';
import { isStopped } from '../has-error.ts';
import { useWords } from '../provider/context.ts';
import { describeItem } from '../words/describe-file.ts';
import { FileProgress } from './file-progress.tsx';
import { Icon } from './icon.tsx';
import { IconButton } from './icon-button.tsx';
import { Thumbnail } from './thumbnail.tsx';

export type AttachmentChipProps = {
  item: AttachmentItem;
  /** Called with the key of the item. Keep these the same between renders: a chip is drawn again only if its file changed. */
  onRemove(key: string): void;
  onCancel(key: string): void;
  onRetry(key: string): void;
};

/** One file: its picture, name and state, with buttons to stop it, try it again and remove it. */
export const AttachmentChip = memo(function AttachmentChip(props: AttachmentChipProps) {
  const { item, onRemove } = props;
  const words = useWords();
  const removeButton = useRef<HTMLButtonElement>(null);
  const { name } = item;
  return (
    <li data-attache-part="chip" data-attache-status={item.status}>
      <Thumbnail kind={item.kind} url={item.displayUrl ?? item.previewUrl} fallbackUrl={item.previewUrl} />
      <span data-attache-part="chip-text">
        <bdi data-attache-part="name" title={name}>
          {name}
        </bdi>
        <span data-attache-part="state">
          <StatusIcon item={item} />
          {describeItem(item, words)}
        </span>
      </span>
      <ChipAction {...props} onGone={() => removeButton.current?.focus()} />
      <IconButton
        buttonRef={removeButton}
        part="remove"
        icon="close"
        label={words.say(words.strings.remove, { name })}
        onClick={() => onRemove(item.key)}
      />
      {item.status === 'uploading' && <FileProgress item={item} />}
    </li>
  );
});

function StatusIcon({ item }: { item: AttachmentItem }) {
  const { strings } = useWords();
  if (item.status === 'uploading') return null;
  const [icon, state] = isStopped(item)
    ? (['stop', 'stopped'] as const)
    : item.status === 'ready'
      ? (['check', 'ready'] as const)
      : (['warning', 'failed'] as const);
  return (
    <>
      <Icon name={icon} />
      <span data-attache-part="hidden">{strings[state]} </span>
    </>
  );
}

/** The button that stops an upload and, once it has failed, starts it again. `onGone`: takes the focus of a button that goes. */
function ChipAction({ item, onCancel, onRetry, onGone }: AttachmentChipProps & { onGone(): void }) {
  const { strings, say } = useWords();
  const isFocused = useRef(false);
  const action = item.status === 'uploading' ? 'cancel' : item.error?.retryable ? 'retry' : undefined;
  useEffect(() => {
    if (action === undefined && isFocused.current) onGone();
    if (action === undefined) isFocused.current = false;
  });
  if (action === undefined) return null;
  const isCancel = action === 'cancel';
  return (
    <IconButton
      part={action}
      icon={isCancel ? 'stop' : 'retry'}
      label={say(strings[action], { name: item.name })}
      onFocus={() => {
        isFocused.current = true;
      }}
      onBlur={() => {
        isFocused.current = false;
      }}
      onClick={() => (isCancel ? onCancel : onRetry)(item.key)}
    />
  );
}
