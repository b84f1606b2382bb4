import type { Rejection } from '@attache/client';
import { useWords } from '../provider/context.ts';
import { describeRejections } from '../words/describe-file.ts';
import { Icon } from './icon.tsx';
import { IconButton } from './icon-button.tsx';

export type RefusalsProps = { rejected: readonly Rejection[]; onDismiss(): void };

/** The files that were not added, with their reasons. */
export function Refusals({ rejected, onDismiss }: RefusalsProps) {
  const words = useWords();
  if (rejected.length === 0) return null;
  const title = words.count(words.strings.notAccepted, rejected.length);
  return (
    <section data-attache-part="refusals" aria-label={title}>
      <Icon name="warning" />
      <div>
        <strong>{title}</strong>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach that. */}
        <ul tabIndex={0} aria-label={title}>
          {describeRejections(rejected, words).map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </div>
      <IconButton part="dismiss" icon="close" label={words.strings.dismiss} onClick={onDismiss} />
    </section>
  );
}
