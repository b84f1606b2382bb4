import { openRandomAccess, type RandomAccess } from '../../file/read-file.ts';
import { type OggCodec, readOggCodec } from './ogg-codec.ts';
import { readOggPages } from './ogg-page.ts';
import { type Recording, type Track, toDurationMs } from './recording.ts';

/** `cut`: the position at the end of the page that is cut off, and the share of its packets that are there. */
type Stream = OggCodec & { packets: number; first?: bigint; last?: bigint; cut?: { granule: bigint; share: number } };
/** Streams that play at the same time. A file may hold several such sets, one after the other. */
type Link = Map<number, Stream>;

/** Ogg of any coding that is known: as long as its last pages say, of one that is cut off by its share, and no longer than so many packets can last. */
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
    // Without its checksum a page begins no stream: it may be noise.
    if (page.isFirst && page.share < 1) return links;
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
    if (page.share < 1) stream.cut = { granule: page.granule, share: page.share };
    stream.first ??= page.granule;
    if (page.share === 1) stream.last = page.granule;
  }
  return links;
}

function describe(links: readonly Link[]): Recording | undefined {
  const played = links.map((link) =>
    [...link.values()].filter(({ packets, first }) => packets > 0 && first !== undefined),
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
function measure({ packets, first = 0n, last = 0n, cut, toSeconds, mostSecondsPerPacket }: Stream): number {
  const most = packets * mostSecondsPerPacket;
  const beyond = cut === undefined ? 0 : (toSeconds(cut.granule) - toSeconds(last)) * cut.share;
  const whole = toSeconds(last) + Math.max(0, beyond);
  return whole <= most * 1.01 ? whole : Math.min(most, Math.max(0, whole - toSeconds(first)));
}

function listTracks(streams: readonly Stream[]): Track[] {
  return streams.map(({ kind, codec, width, height }) => ({
    kind,
    codec,
    ...(width && height ? { width, height } : {}),
  }));
}
