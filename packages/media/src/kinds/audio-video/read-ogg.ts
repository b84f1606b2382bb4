import { openRandomAccess, type RandomAccess } from '../../file/read-file.ts';
import { type OggCodec, readOggCodec } from './ogg-codec.ts';
import { readOggPages } from './ogg-page.ts';
import { type Recording, type Track, toDurationMs } from './recording.ts';

type Stream = OggCodec & { packets: number; first?: bigint; last?: bigint };
/** Streams that play at the same time. A file may hold several such sets, one after the other. */
type Link = Map<number, Stream>;

/** Ogg of any coding that is known: as long as its last whole pages say, and no longer than so many packets can last. */
export function readOgg(path: string): Recording | undefined {
  const file = openRandomAccess(path);
  try {
    return describe(readLinks(file));
  } finally {
    file.close();
  }
}

function readLinks(file: RandomAccess): Link[] {
  const links: Link[] = [];
  let isAmidHeads = false;
  for (const page of readOggPages(file)) {
    if (page.isFirst) {
      if (!isAmidHeads) links.push(new Map());
      const codec = readOggCodec(page.body);
      if (codec !== undefined) links.at(-1)?.set(page.serial, { ...codec, packets: 0 });
      isAmidHeads = true;
      continue;
    }
    isAmidHeads = false;
    const stream = links.at(-1)?.get(page.serial);
    // Pages of headers have position zero.
    if (stream === undefined || page.granule === 0n) continue;
    stream.packets += page.packets;
    if (page.granule === undefined) continue;
    stream.first ??= page.granule;
    stream.last = page.granule;
  }
  return links;
}

function describe(links: readonly Link[]): Recording | undefined {
  const played = links.map((link) =>
    [...link.values()].filter(({ packets, last }) => packets > 0 && last !== undefined),
  );
  const streams = played.flat();
  if (streams.length === 0) return undefined;
  const seconds = played.map((together) => Math.max(0, ...together.map(measure)));
  return {
    container: 'ogg',
    tracks: listTracks(played.find((together) => together.length > 0) ?? []),
    durationMs: toDurationMs(seconds.reduce((sum, one) => sum + one, 0)),
  };
}

// A recording that began in the middle of a broadcast starts at a late position; a false one has more time than its packets can fill.
function measure({ packets, first = 0n, last = 0n, toSeconds, mostSecondsPerPacket }: Stream): number {
  const most = packets * mostSecondsPerPacket;
  const whole = toSeconds(last);
  return whole <= most * 1.01 ? whole : Math.min(most, Math.max(0, whole - toSeconds(first)));
}

function listTracks(streams: readonly Stream[]): Track[] {
  return streams.map(({ kind, codec, width, height }) => ({
    kind,
    codec,
    ...(width && height ? { width, height } : {}),
  }));
}
