import { readMpeg } from './mpeg/read-mpeg.ts';
import { mendMatroska } from './packets/mend-matroska.ts';
import { createPacketReader } from './packets/read-packets.ts';
import { readAiff } from './read-aiff.ts';
import { readAmr } from './read-amr.ts';
import { readAvi } from './read-avi.ts';
import { readOgg } from './read-ogg.ts';
import { readWave } from './read-wave.ts';
import type { Reader, Recording } from './recording.ts';

const cacheBytes = 8 * 1024 * 1024;
const readBaseMedia = createPacketReader(['MP4', 'QTFF'], { cacheBytes });
// Without a cache: in this format, the parser looks for a lost place for ever, and only its reads show that.
const readMatroska = createPacketReader(['MATROSKA', 'WEBM'], { cacheBytes: 0, findMend: mendMatroska });
const readMpegAudio = createPacketReader(['MP3'], { cacheBytes });
const readPlainWave = createPacketReader(['WAVE'], { cacheBytes });

const readers: Record<string, Reader> = {
  'video/mp4': readBaseMedia,
  'audio/mp4': readBaseMedia,
  'video/quicktime': readBaseMedia,
  'video/3gpp': readBaseMedia,
  'audio/3gpp': readBaseMedia,
  'video/3gpp2': readBaseMedia,
  'video/webm': readMatroska,
  'audio/webm': readMatroska,
  'video/x-matroska': readMatroska,
  'audio/x-matroska': readMatroska,
  'video/mp2t': createPacketReader(['MPEG_TS'], { cacheBytes }),
  'audio/mpeg': readMpegAudio,
  'audio/mp1': readMpegAudio,
  'audio/mp2': readMpegAudio,
  'audio/aac': createPacketReader(['ADTS'], { cacheBytes }),
  'audio/flac': createPacketReader(['FLAC'], { cacheBytes }),
  'audio/wav': async (path) => (await readPlainWave(path)) ?? readWave(path),
  'audio/ogg': readOgg,
  'video/ogg': readOgg,
  'application/ogg': readOgg,
  'audio/aiff': readAiff,
  'audio/amr': readAmr,
  'video/x-msvideo': readAvi,
  'video/mpeg': readMpeg,
};

/** Whether there is a reader for what begins like this type. */
export function isRecordingType(mimeType: string): boolean {
  return Object.hasOwn(readers, mimeType);
}

/** Reads a recording that begins like this type. Undefined if there is not one whole frame in it. */
export async function readRecording(path: string, mimeType: string): Promise<Recording | undefined> {
  return readers[mimeType]?.(path);
}

// Containers that hold sound alone as well as pictures.
const soundTypes: Record<string, string> = {
  'video/mp4': 'audio/mp4',
  'video/3gpp': 'audio/3gpp',
  'video/webm': 'audio/webm',
  'video/x-matroska': 'audio/x-matroska',
  'application/ogg': 'audio/ogg',
  'video/ogg': 'audio/ogg',
};
const pictureTypes: Record<string, string> = {
  'audio/mp4': 'video/mp4',
  'audio/3gpp': 'video/3gpp',
  'audio/webm': 'video/webm',
  'audio/x-matroska': 'video/x-matroska',
  'application/ogg': 'video/ogg',
  'audio/ogg': 'video/ogg',
};

// The registered type covers all three layers, but models that take MP3 do not take the other two.
const layerTypes: Record<string, string> = { mp1: 'audio/mp1', mp2: 'audio/mp2', mp3: 'audio/mpeg' };

/** The type by what is in the container, not by how it begins. */
export function nameRecordingType(mimeType: string, { container, tracks }: Recording): string {
  const layerType = layerTypes[container];
  if (layerType !== undefined) return layerType;
  const types = tracks.some(({ kind }) => kind === 'video') ? pictureTypes : soundTypes;
  return types[mimeType] ?? mimeType;
}
