import { type LiveEvents, liveEventsSchema } from '@attache/contracts';

/** Maximum size of one message. A larger event is not sent: a follower finds the gap, and reads the event. */
export const MAX_LIVE_BYTES = 64 * 1024;

/** Messages for events, in their order: as many in one as go into it. */
export function* packEvents({ tenantId, events }: LiveEvents): Generator<string> {
  const begin = `{"tenantId":${JSON.stringify(tenantId)},"events":[`;
  let packed: string[] = [];
  let sizeBytes = 0;
  for (const event of events) {
    const text = JSON.stringify(event);
    const addedBytes = Buffer.byteLength(text) + 1;
    const isTooLarge = begin.length + 2 + addedBytes > MAX_LIVE_BYTES;
    if (packed.length > 0 && (isTooLarge || begin.length + 2 + sizeBytes + addedBytes > MAX_LIVE_BYTES)) {
      yield `${begin}${packed.join()}]}`;
      packed = [];
      sizeBytes = 0;
    }
    if (isTooLarge) continue;
    packed.push(text);
    sizeBytes += addedBytes;
  }
  if (packed.length > 0) yield `${begin}${packed.join()}]}`;
}

/** Undefined for anything else. What is sent on is what came: fields that this release does not know are the log's. */
export function readLiveEvents(sent: unknown): LiveEvents | undefined {
  return liveEventsSchema.safeParse(sent).success ? (sent as LiveEvents) : undefined;
}

const SEQ = /^[1-9]\d{0,15}$/;

/** Up to which seq a ring is about; undefined where it does not say so. */
export function readUpToSeq(data: Uint8Array): number | undefined {
  const text = new TextDecoder().decode(data);
  return SEQ.test(text) ? Number(text) : undefined;
}
