import type { AttachmentItem } from '../files/use-preview-urls.ts';
import { useWords } from '../provider/context.ts';
import { describeItem } from '../words/describe-file.ts';

/** The progress of one upload. While nothing is sent its end is not known, and it has no value. */
export function FileProgress({ item }: { item: AttachmentItem }) {
  const words = useWords();
  const { name, phase, sentBytes, totalBytes } = item;
  const isMeasured = phase === 'sending' && totalBytes > 0;
  const percent = Math.round((sentBytes / Math.max(1, totalBytes)) * 100);
  return (
    <span
      role="progressbar"
      tabIndex={-1}
      data-attache-part="progress"
      data-attache-phase={phase}
      aria-label={name}
      aria-valuetext={describeItem(item, words)}
      aria-valuenow={isMeasured ? percent : undefined}
    >
      <span style={isMeasured ? { inlineSize: `${percent}%` } : undefined} />
    </span>
  );
}
