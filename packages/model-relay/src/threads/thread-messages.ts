import type { BodyQuestion, JudgedAccess } from '../body/judge-body.ts';
import type { RelayedContent } from '../content/content-types.ts';
import type { RefusalCode } from '../relay-types.ts';

/** The input for reading a body; all of it can be sent to a thread. */
export type BodyReading = { readonly access: JudgedAccess; readonly question: BodyQuestion };

/** `step` is handed over with the message: its first bytes are the next ones of the body. */
export type ToThread =
  | { readonly kind: 'begin'; readonly id: number; readonly reading: BodyReading }
  | { readonly kind: 'read'; readonly id: number; readonly step: ArrayBuffer; readonly sizeBytes: number }
  | { readonly kind: 'end'; readonly id: number }
  | { readonly kind: 'drop'; readonly id: number };

/** `free`: the step was read and is handed back. `read` and `refused` are the last of a body. */
export type FromThread =
  | { readonly kind: 'free'; readonly id: number; readonly step: ArrayBuffer }
  | { readonly kind: 'refused'; readonly id: number; readonly code: RefusalCode }
  | { readonly kind: 'read'; readonly id: number; readonly content: RelayedContent | undefined };
