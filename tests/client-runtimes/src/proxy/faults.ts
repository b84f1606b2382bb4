/** Something that goes wrong with a request, once it fits `method` and part of its path. */
export type Fault = {
  method: string;
  path: string;
  /** How many requests it happens to; 1 without it. */
  count?: number;
} & (
  | { does: 'cut-before' }
  /** The connection ends after so many bytes of the body. */
  | { does: 'cut-body'; afterBytes: number }
  /** Nothing more of the body is read after so many bytes. */
  | { does: 'hold-body'; afterBytes: number }
  /** The server does it all; its answer is lost. */
  | { does: 'lose-answer' }
  /** The connection ends after so many bytes of the answer. */
  | { does: 'cut-answer'; afterBytes: number }
  | { does: 'answer'; status: number; headers?: Record<string, string>; body: string }
);

export type SeenRequest = {
  method: string;
  path: string;
  idempotencyKey?: string;
  authorization?: string;
  lastEventId?: string;
  /** Requests of the same kind that were open when it came, itself included. */
  openAtOnce: number;
};
