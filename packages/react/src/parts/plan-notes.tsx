import { useWords } from '../provider/context.ts';
import type { PlanNote } from '../words/describe-plan.ts';
import { Icon, type IconName } from './icon.tsx';
import { Reason } from './reason.tsx';

const ICONS: Partial<Record<PlanNote['becomes'], IconName>> = { blocked: 'close', descriptor: 'warning' };

export type PlanNotesProps = { notes: readonly PlanNote[] };

/** The form in which each agent gets each file, with the reason and the way out where a file is blocked. */
export function PlanNotes({ notes }: PlanNotesProps) {
  const { strings } = useWords();
  if (notes.length === 0) return null;
  const blocked = notes.filter(({ becomes }) => becomes === 'blocked');
  const title = blocked.length > 0 ? strings.blockedTitle : strings.planTitle;
  return (
    <section data-attache-part="plan" data-attache-blocked={blocked.length > 0 ? '' : undefined} aria-label={title}>
      <strong data-attache-part="plan-title">{title}</strong>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach that. */}
      <ul tabIndex={0} aria-label={title}>
        {[...blocked, ...notes.filter((note) => !blocked.includes(note))].map(({ key, becomes, text, reason }) => (
          <li key={key} data-attache-becomes={becomes}>
            <Icon name={ICONS[becomes] ?? 'check'} />
            <span>
              {text}
              <Reason text={reason} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
