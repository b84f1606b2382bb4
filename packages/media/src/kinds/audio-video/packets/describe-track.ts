import type { InputAudioTrack, InputTrack, InputVideoTrack } from 'mediabunny';
import type { Track } from '../recording.ts';

const names: Record<string, string> = {
  avc: 'h264',
  mp4v: 'mpeg4',
  'V_MPEG4/ISO/ASP': 'mpeg4',
  V_THEORA: 'theora',
  V_MPEG1: 'mpeg1',
  V_MPEG2: 'mpeg2',
  s263: 'h263',
  jpeg: 'mjpeg',
  mjpa: 'mjpeg',
  mjpb: 'mjpeg',
  mpeg: 'mpeg1',
  m1v: 'mpeg1',
  m1v1: 'mpeg1',
  mp1v: 'mpeg1',
  m2v1: 'mpeg2',
  mp2v: 'mpeg2',
  V_MJPEG: 'mjpeg',
  samr: 'amr',
  sawb: 'amr-wb',
  A_ALAC: 'alac',
  'A_MPEG/L1': 'mp1',
  'A_MPEG/L2': 'mp2',
  '.mp1': 'mp1',
  '.mp2': 'mp2',
  '.mp3': 'mp3',
};

/** The name of a track's coding as the field has it; of one that the parser does not know, what the file says where that is a plain word. */
export async function nameTrackCodec(track: InputTrack): Promise<string | undefined> {
  const name = (await track.getCodec()) ?? (await track.getInternalCodecId());
  if (typeof name !== 'string') return undefined;
  const said = name.trim();
  return names[said] ?? (/^[A-Za-z0-9][A-Za-z0-9_./-]{0,31}$/.test(said) ? said.toLowerCase() : undefined);
}

/** The track as the parser describes it, in the coding that its frames show. */
export async function describeTrack(
  track: InputAudioTrack | InputVideoTrack,
  codec: string | undefined,
): Promise<Track> {
  if (track.isAudioTrack()) return { kind: 'audio', codec };
  const [width, height] = [Math.round(await track.getDisplayWidth()), Math.round(await track.getDisplayHeight())];
  return { kind: 'video', codec, ...(width >= 1 && height >= 1 && { width, height }) };
}
