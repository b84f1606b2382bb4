import type { Announcement } from '../announce/announcer.ts';

/** The live regions: progress waits for its turn, refusals interrupt. The words of an announcement are new nodes, so that they are read again. */
export function Announcements({ announcement: { polite, assertive, id } }: { announcement: Announcement }) {
  return (
    <div data-attache-part="hidden">
      <div aria-live="polite" data-attache-part="polite">
        <span key={id}>{polite}</span>
      </div>
      <div aria-live="assertive" data-attache-part="assertive">
        <span key={id}>{assertive}</span>
      </div>
    </div>
  );
}
