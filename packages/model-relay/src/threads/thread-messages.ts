import type { BodyQuestion, JudgedAccess } from '../body/judge-body.ts';
import type { RelayedContent } from '../content/content-types.ts';
import type { RefusalCode } from '../relay-types.ts';

/** What a body is read with; all of it can be sent to a thread. */
export type BodyReading = { readonly access: JudgedAccess; readonly question: BodyQuestion };

/** `step`: which of the steps of that body holds its next bytes, at the beginning of the step. */
export type ToThread =
  | { readonly kind: 'begin'; readonly id: number; readonly reading: BodyReading; readonly steps: SharedArrayBuffer[] }
  | { readonly kind: 'read'; readonly id: number; readonly step: number; readonly sizeBytes: number }
  | { readonly kind: 'end'; readonly id: number }
  | { readonly kind: 'drop'; readonly id: number };

/** `free`: the step was read. `read` and `refused` are the last of a body. */
export type FromThread =
  | { readonly kind: 'free'; readonly id: number; readonly step: number }
  | { readonly kind: 'refused'; readonly id: number; readonly code: RefusalCode }
  | { readonly kind: 'read'; readonly id: number; readonly content: RelayedContent | undefined };
