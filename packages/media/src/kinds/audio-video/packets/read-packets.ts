import { closeSync, fstatSync, openSync } from 'node:fs';
import type { EncodedPacket, EncodedPacketSink, Input, InputTrack } from 'mediabunny';
import { openRandomAccess, type RandomAccess } from '../../../file/read-file.ts';
import { keepLibrary } from '../../../library/keep-library.ts';
import { type Reader, type Recording, type Track, toDurationMs } from '../recording.ts';
import { describeTrack, nameTrackCodec } from './describe-track.ts';
import { isFrame } from './is-frame.ts';
import { measureLast } from './measure-last.ts';
import type { Mend } from './mend-matroska.ts';
import { nameFrameCodec } from './name-frame-codec.ts';
import { openSource } from './open-source.ts';

type Library = typeof import('mediabunny');
type Opened = { parser: Library; input: Input; sizeBytes: number; until: number; container: string };
type Span = { codec: string | undefined; startSeconds: number; endSeconds: number | undefined };

const library = keepLibrary<Library>(async () => {
  const loaded = await import('mediabunny');
  loaded.Logging.level = loaded.LogLevel.Silent;
  return loaded;
});

// Formats that cannot name another file or an address.
type FormatName = 'MP4' | 'QTFF' | 'MATROSKA' | 'WEBM' | 'WAVE' | 'MP3' | 'ADTS' | 'FLAC' | 'MPEG_TS';

const mostTracks = 32;
const mostTimeMs = 5000;
// One frame may be odd, of several one is not.
const probedPackets = 8;

/** `cacheBytes`: what the parser may keep of the file. `findMend`: makes a file that was cut off readable for the parser. */
type Options = { cacheBytes: number; findMend?: (file: RandomAccess) => Mend | undefined };

/**
 * A reader of containers that the parser knows: tracks with a whole frame, and the time from the first to the end of the last one that
 * is there.
 */
export function createPacketReader(formatNames: readonly FormatName[], { cacheBytes, findMend }: Options): Reader {
  return async (path) => {
    const parser = await library.load();
    const mend = findMend && withFile(path, findMend);
    const descriptor = openSync(path, 'r');
    const sizeBytes = fstatSync(descriptor).size;
    const until = performance.now() + mostTimeMs;
    const source = openSource(parser, { descriptor, sizeBytes, cacheBytes, until, mend });
    const input = new parser.Input({ formats: formatNames.map((name) => parser[name]), source });
    try {
      const { name } = await input.getFormat();
      return await readTracks({ parser, input, sizeBytes, until, container: containers[name] ?? 'unknown' });
    } catch {
      // The file is at fault for any error by which the parser refuses it.
      return undefined;
    } finally {
      input.dispose();
      closeSync(descriptor);
    }
  };
}

function withFile<Result>(path: string, read: (file: RandomAccess) => Result): Result {
  const file = openRandomAccess(path);
  try {
    return read(file);
  } finally {
    file.close();
  }
}

const containers: Record<string, string> = {
  MP4: 'mp4',
  'QuickTime File Format': 'quicktime',
  Matroska: 'matroska',
  WebM: 'webm',
  WAVE: 'wav',
  MP3: 'mp3',
  ADTS: 'adts',
  FLAC: 'flac',
  'MPEG Transport Stream': 'mpeg-ts',
};

async function readTracks(opened: Opened): Promise<Recording | undefined> {
  const tracks: Track[] = [];
  const spans: Span[] = [];
  for (const track of (await opened.input.getTracks()).slice(0, mostTracks)) {
    if (!track.isAudioTrack() && !track.isVideoTrack()) continue;
    const span = await findSpan(opened, track).catch(() => undefined);
    if (span === undefined) continue;
    tracks.push(await describeTrack(track, span.codec));
    spans.push(span);
  }
  const [first] = tracks;
  if (first === undefined) return undefined;
  // Bare frames are called by their layer.
  const container = opened.container === 'mp3' ? (first.codec ?? 'mp3') : opened.container;
  return { container, tracks, durationMs: measure(spans) };
}

// Packets before zero are not played; a part of a broadcast begins late.
function measure(spans: readonly Span[]): number | undefined {
  const start = Math.max(0, Math.min(...spans.map(({ startSeconds }) => startSeconds)));
  const ends = spans.map(({ endSeconds }) => endSeconds ?? Number.NaN);
  return toDurationMs(Math.max(0, ...ends.map((end) => end - start)));
}

async function findSpan(opened: Opened, track: InputTrack): Promise<Span | undefined> {
  const sink = new opened.parser.EncodedPacketSink(track);
  const found = await findFrame(opened, sink.packets(), await nameTrackCodec(track));
  if (found === undefined) return undefined;
  const { first, codec } = found;
  return { codec, startSeconds: first.timestamp, endSeconds: await measureEnd(opened, sink, first) };
}

async function measureEnd(opened: Opened, sink: EncodedPacketSink, first: EncodedPacket): Promise<number | undefined> {
  const last = await sink.getPacket(Number.POSITIVE_INFINITY).catch(() => null);
  // The last one in the list may be beyond the point at which the file is cut off.
  if (last === null) return findEnd(sink.packets(first), opened.until);
  const before = last.timestamp > first.timestamp ? await sink.getPacket(last.timestamp - shortSeconds) : null;
  const seconds = measureLast({ container: opened.container, first, before: before ?? undefined, last });
  return seconds === undefined ? undefined : last.timestamp + seconds;
}

// Less than any packet lasts.
const shortSeconds = 1e-6;

const endOf = ({ timestamp, duration }: EncodedPacket) => timestamp + duration;

/** The first packet and its coding, where among the first ones is a frame of that. */
async function findFrame(
  { container, sizeBytes }: Opened,
  packets: AsyncIterable<EncodedPacket>,
  named: string | undefined,
): Promise<{ first: EncodedPacket; codec: string | undefined } | undefined> {
  const probed: EncodedPacket[] = [];
  for await (const packet of packets) {
    probed.push(packet);
    if (probed.length === probedPackets) break;
  }
  const [first] = probed;
  if (first === undefined) return undefined;
  // A bare frame is known by the next one behind it, or by being the file.
  const isBare = container === 'mp3' || container === 'adts';
  if (isBare && probed.length === 1 && first.data.length * 2 < sizeBytes) return undefined;
  const codec = nameFrameCodec(named, first.data);
  const frames = probed.map(({ data }) => data);
  return isFrame(frames, codec) ? { first, codec } : undefined;
}

// The end of the packets, if the parser gives up on the rest; unknown if the time does not suffice.
async function findEnd(packets: AsyncIterable<EncodedPacket>, until: number): Promise<number | undefined> {
  let end = 0;
  try {
    for await (const packet of packets) {
      end = Math.max(end, endOf(packet));
      if (performance.now() > until) return undefined;
    }
  } catch {
    return performance.now() > until ? undefined : end;
  }
  return end;
}
