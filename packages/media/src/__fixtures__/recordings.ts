import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A sample and its playing time: from the first to the end of the last of its packets, as ffprobe lists them. */
export type RecordingSample = { name: string; mimeType: string; durationMs: number; video?: string; audio?: string };

const folder = new URL('../worker/__fixtures__/media/', import.meta.url);

/** The path of a sample of sound or video. */
export const pathOfRecording = (name: string) => fileURLToPath(new URL(name, folder));

export const readRecordingSample = (name: string) => readFileSync(pathOfRecording(name));

const sample = (name: string, mimeType: string, durationMs: number, codecs: string): RecordingSample => {
  const [video, audio] = codecs.split('+');
  return { name, mimeType, durationMs, ...(video && { video }), ...(audio && { audio }) };
};

/** Samples in the forms that people send: the codings are `video+audio`. */
export const recordingSamples: readonly RecordingSample[] = [
  sample('mp3-cbr.mp3', 'audio/mpeg', 2038, '+mp3'),
  sample('mp3-vbr.mp3', 'audio/mpeg', 2038, '+mp3'),
  sample('mp3-vbr-no-xing.mp3', 'audio/mpeg', 4049, '+mp3'),
  sample('mp3-id3-cover.mp3', 'audio/mpeg', 2038, '+mp3'),
  sample('wav-u8.wav', 'audio/wav', 1000, '+pcm-u8'),
  sample('wav-s16.wav', 'audio/wav', 1000, '+pcm-s16'),
  sample('wav-s24.wav', 'audio/wav', 1000, '+pcm-s24'),
  sample('wav-f32.wav', 'audio/wav', 1000, '+pcm-f32'),
  sample('wav-adpcm.wav', 'audio/wav', 2036, '+adpcm-ms'),
  sample('wav-unknown-length.wav', 'audio/wav', 1000, '+pcm-s16'),
  sample('wav-zero-length.wav', 'audio/wav', 1000, '+pcm'),
  sample('flac.flac', 'audio/flac', 1000, '+flac'),
  sample('flac-no-total.flac', 'audio/flac', 1000, '+flac'),
  sample('ogg-vorbis.ogg', 'audio/ogg', 2000, '+vorbis'),
  sample('ogg-opus.opus', 'audio/ogg', 2000, '+opus'),
  sample('ogg-flac.oga', 'audio/ogg', 1000, '+flac'),
  sample('ogg-speex.spx', 'audio/ogg', 1995, '+speex'),
  sample('m4a-aac.m4a', 'audio/mp4', 2000, '+aac'),
  sample('m4a-alac.m4a', 'audio/mp4', 1000, '+alac'),
  sample('adts.aac', 'audio/aac', 2043, '+aac'),
  sample('aiff.aiff', 'audio/aiff', 1000, '+pcm'),
  sample('amr.amr', 'audio/amr', 2000, '+amr'),
  sample('webm-opus.webm', 'audio/webm', 2014, '+opus'),
  sample('webm-vp8.webm', 'video/webm', 2013, 'vp8+vorbis'),
  sample('webm-vp9.webm', 'video/webm', 2014, 'vp9+opus'),
  sample('webm-av1.webm', 'video/webm', 2014, 'av1+opus'),
  sample('webm-live.webm', 'video/webm', 2014, 'vp8+opus'),
  sample('mp4-h264.mp4', 'video/mp4', 2000, 'h264+aac'),
  sample('mp4-h264-faststart.mp4', 'video/mp4', 2000, 'h264+aac'),
  sample('mp4-fragmented.mp4', 'video/mp4', 2220, 'h264+aac'),
  sample('mp4-hevc.mp4', 'video/mp4', 2000, 'hevc+aac'),
  sample('mp4-mpeg4.mp4', 'video/mp4', 2000, 'mpeg4+mp3'),
  sample('mp4-av1.mp4', 'video/mp4', 2000, 'av1'),
  sample('mp4-turned.mp4', 'video/mp4', 1000, 'h264'),
  sample('mov-h264.mov', 'video/quicktime', 2000, 'h264+pcm-s16'),
  sample('mkv-h264.mkv', 'video/x-matroska', 2043, 'h264+aac'),
  sample('mkv-live.mkv', 'video/x-matroska', 2000, 'mpeg4+flac'),
  sample('avi-mpeg4.avi', 'video/x-msvideo', 2100, 'mpeg4+mp3'),
  sample('avi-mjpeg.avi', 'video/x-msvideo', 1000, 'mjpeg'),
  sample('ogv-theora.ogv', 'video/ogg', 2000, 'theora+vorbis'),
  sample('3gp-h263.3gp', 'video/3gpp', 2000, 'h263'),
  sample('3gp-h264.3gp', 'video/3gpp', 2000, 'h264+aac'),
  sample('mpeg-ps.mpg', 'video/mpeg', 2000, 'mpeg1'),
  sample('mpeg-ts.trp', 'video/mp2t', 2043, 'h264+aac'),
];

/** Cut off after three fifths: as long as what is still there. */
export const cutRecordings: readonly RecordingSample[] = [
  sample('cut-mp3.mp3', 'audio/mpeg', 3030, '+mp3'),
  sample('cut-wav.wav', 'audio/wav', 599, '+pcm-s16'),
  sample('cut-aiff.aiff', 'audio/aiff', 599, '+pcm'),
  sample('cut-adts.aac', 'audio/aac', 3019, '+aac'),
  sample('cut-flac.flac', 'audio/flac', 1664, '+flac'),
  sample('cut-ogg.ogg', 'audio/ogg', 5214, '+vorbis'),
  sample('cut-webm.webm', 'video/webm', 5607, 'vp9+opus'),
  sample('cut-mkv.mkv', 'video/x-matroska', 5823, 'h264+aac'),
  sample('cut-mp4.mp4', 'video/mp4', 5000, 'h264+aac'),
  sample('cut-fragmented.mp4', 'video/mp4', 6223, 'h264+aac'),
  sample('cut-avi.avi', 'video/x-msvideo', 700, 'mpeg4+mp3'),
];
