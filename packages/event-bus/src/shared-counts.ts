import { type RequestCounts, requestCountsSchema } from '@attache/contracts';

/** Reports to the other processes of ingest what was counted here. Nothing is stored; a lost report was counted by one process alone. */
export interface SharedCounts {
  /** Whether the others can hear now. */
  isConnected(): boolean;
  send(counts: RequestCounts): void;
  /** Hears the others, not itself. Returns a function that stops listening. */
  listen(onCounts: (counts: RequestCounts) => void): () => void;
}

/** Undefined: it is none of ours. */
export function parseCounts(data: Uint8Array): RequestCounts | undefined {
  try {
    return requestCountsSchema.safeParse(JSON.parse(new TextDecoder().decode(data))).data;
  } catch {
    return undefined;
  }
}
