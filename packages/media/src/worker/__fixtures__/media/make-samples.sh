#!/bin/sh
# Makes the samples of sound and video beside this script with ffmpeg 5.1 (Debian 12): sh make-samples.sh
# All come from two test signals. Nothing here is needed to build or to test; another version of ffmpeg gives other bytes.
set -eu
cd "$(dirname "$0")"
tone='sine=frequency=440:sample_rate=44100'
picture='testsrc=size=64x48:rate=10'

run() { ffmpeg -hide_banner -loglevel error -nostdin -y "$@" -map_metadata -1 "$last"; }
# sound <file> <seconds> <options…>
sound() { last=$1; seconds=$2; shift 2; run -f lavfi -i "$tone" -t "$seconds" -fflags +bitexact -flags:a +bitexact "$@"; }
# film <file> <seconds> <options…>: picture and sound
film() { last=$1; seconds=$2; shift 2; run -f lavfi -i "$picture" -f lavfi -i "$tone" -t "$seconds" -fflags +bitexact -flags +bitexact -pix_fmt yuv420p "$@"; }
# silent <file> <seconds> <options…>: picture alone
silent() { last=$1; seconds=$2; shift 2; run -f lavfi -i "$picture" -t "$seconds" -fflags +bitexact -flags +bitexact -pix_fmt yuv420p "$@"; }

# Sound
sound mp3-cbr.mp3 2 -c:a libmp3lame -b:a 32k -write_xing 0 -id3v2_version 0
sound mp3-vbr.mp3 2 -c:a libmp3lame -q:a 9
# A loud second, then silence: without the Xing header only its frames tell how long it is.
sound mp3-vbr-no-xing.mp3 4 -af "volume='if(lt(t,1),1,0)':eval=frame" -c:a libmp3lame -q:a 5 -write_xing 0 -id3v2_version 0
ffmpeg -hide_banner -loglevel error -nostdin -y -f lavfi -i "$picture" -frames:v 1 -f image2 -c:v png -update 1 cover.tmp
last=mp3-id3-cover.mp3; ffmpeg -hide_banner -loglevel error -nostdin -y -f lavfi -i "$tone" -i cover.tmp -t 2 -map 0 -map 1 -c:a libmp3lame -b:a 32k -c:v copy -id3v2_version 3 \
  -metadata title='A tone' -disposition:v attached_pic -fflags +bitexact "$last"; rm cover.tmp
sound wav-u8.wav 1 -ar 8000 -c:a pcm_u8
sound wav-s16.wav 1 -ar 8000 -c:a pcm_s16le
sound wav-s24.wav 1 -ar 8000 -c:a pcm_s24le
sound wav-f32.wav 1 -ar 8000 -c:a pcm_f32le
sound wav-adpcm.wav 2 -ar 8000 -c:a adpcm_ms
sound flac.flac 1 -ar 16000 -c:a flac
sound ogg-vorbis.ogg 2 -ac 1 -c:a libvorbis -q:a 0
sound ogg-opus.opus 2 -c:a libopus -b:a 16k
sound ogg-flac.oga 1 -ar 16000 -c:a flac
sound ogg-speex.spx 2 -ar 8000 -c:a libspeex
sound m4a-aac.m4a 2 -c:a aac -b:a 32k
sound m4a-alac.m4a 1 -ar 16000 -c:a alac
sound adts.aac 2 -c:a aac -b:a 32k
sound aiff.aiff 1 -ar 8000 -c:a pcm_s16be
sound wma.wma 2 -c:a wmav2 -b:a 32k
sound webm-opus.webm 2 -c:a libopus -b:a 16k

# Video
film webm-vp8.webm 2 -c:v libvpx -b:v 40k -c:a libvorbis -q:a 0 -ac 1
film webm-vp9.webm 2 -c:v libvpx-vp9 -b:v 40k -c:a libopus -b:a 16k
film webm-av1.webm 2 -c:v libaom-av1 -cpu-used 8 -b:v 40k -c:a libopus -b:a 16k
film mp4-h264.mp4 2 -c:v libx264 -crf 40 -c:a aac -b:a 24k
film mp4-h264-faststart.mp4 2 -c:v libx264 -crf 40 -c:a aac -b:a 24k -movflags +faststart
film mp4-fragmented.mp4 2 -c:v libx264 -crf 40 -g 10 -c:a aac -b:a 24k -movflags +frag_keyframe+empty_moov+default_base_moof
film mp4-hevc.mp4 2 -c:v libx265 -x265-params log-level=none -crf 40 -tag:v hvc1 -c:a aac -b:a 24k
film mp4-mpeg4.mp4 2 -c:v mpeg4 -q:v 20 -c:a libmp3lame -b:a 32k
silent mp4-av1.mp4 2 -c:v libaom-av1 -cpu-used 8 -b:v 40k
# A phone's video: turned by a matrix.
silent plain.tmp.mp4 1 -c:v libx264 -crf 40
last=mp4-turned.mp4; ffmpeg -hide_banner -loglevel error -nostdin -y -i plain.tmp.mp4 -c copy -metadata:s:v rotate=90 -fflags +bitexact "$last"
rm plain.tmp.mp4
film mov-h264.mov 2 -c:v libx264 -crf 40 -c:a pcm_s16le -ar 8000
film mkv-h264.mkv 2 -c:v libx264 -crf 40 -c:a aac -b:a 24k
# Written to a pipe: no duration, no index, clusters of unknown size.
film - 2 -c:v libvpx -b:v 40k -c:a libopus -b:a 16k -f webm | cat > webm-live.webm
film - 2 -c:v mpeg4 -q:v 20 -c:a flac -ar 16000 -f matroska | cat > mkv-live.mkv
film avi-mpeg4.avi 2 -c:v mpeg4 -q:v 20 -c:a libmp3lame -b:a 32k
silent avi-mjpeg.avi 1 -c:v mjpeg -q:v 31 -pix_fmt yuvj420p
film ogv-theora.ogv 2 -c:v libtheora -q:v 2 -c:a libvorbis -q:a 0 -ac 1
silent 3gp-h263.3gp 2 -s 128x96 -c:v h263 -q:v 20
film 3gp-h264.3gp 2 -c:v libx264 -crf 40 -c:a aac -b:a 24k
silent mpeg-ps.mpg 2 -r 25 -c:v mpeg1video -q:v 20
film mpeg-ts.trp 2 -c:v libx264 -crf 40 -c:a aac -b:a 24k -f mpegts
silent animated.avif 1 -c:v libaom-av1 -cpu-used 8 -b:v 20k

# Forms that no muxer of ffmpeg writes as they occur in the wild: bytes changed, or cut off.
# Sizes of RIFF as a program writes them that cannot go back: all ones, or zero.
patch() { printf "$2" | dd of="$1" bs=1 seek="$3" conv=notrunc status=none; }
data_at() { LC_ALL=C grep -obUa data "$1" | head -1 | cut -d: -f1; }
cp wav-s16.wav wav-unknown-length.wav
patch wav-unknown-length.wav '\377\377\377\377' 4; patch wav-unknown-length.wav '\377\377\377\377' $(( $(data_at wav-unknown-length.wav) + 4 ))
cp wav-s16.wav wav-zero-length.wav
patch wav-zero-length.wav '\0\0\0\0' 4; patch wav-zero-length.wav '\0\0\0\0' $(( $(data_at wav-zero-length.wav) + 4 ))
# 36 bits of total samples, and the digest after them, unknown.
cp flac.flac flac-no-total.flac
patch flac-no-total.flac '\360\0\0\0\0' 21
# Cut off after three fifths. Short pages, clusters and fragments, so that little of what is there is lost with the last one.
half() { head -c "$(( $(wc -c < "$1") * 6 / 10 ))" "$1" > "$2"; rm -f whole.tmp.*; }
sound whole.tmp.mp3 5 -c:a libmp3lame -b:a 32k -write_xing 0 -id3v2_version 0; half whole.tmp.mp3 cut-mp3.mp3
half wav-s16.wav cut-wav.wav
half aiff.aiff cut-aiff.aiff
sound whole.tmp.aac 5 -c:a aac -b:a 32k; half whole.tmp.aac cut-adts.aac
half avi-mpeg4.avi cut-avi.avi
sound whole.tmp.flac 4 -ar 8000 -c:a flac -frame_size 512; half whole.tmp.flac cut-flac.flac
sound whole.tmp.ogg 10 -ac 1 -c:a libvorbis -q:a 0 -page_duration 50000; half whole.tmp.ogg cut-ogg.ogg
film whole.tmp.webm 10 -c:v libvpx-vp9 -b:v 20k -c:a libopus -b:a 8k -cluster_time_limit 100; half whole.tmp.webm cut-webm.webm
film whole.tmp.mkv 10 -c:v libx264 -bf 0 -crf 40 -c:a aac -b:a 16k -cluster_time_limit 100; half whole.tmp.mkv cut-mkv.mkv
film whole.tmp.mp4 10 -c:v libx264 -bf 0 -crf 40 -c:a aac -b:a 16k -movflags +faststart; half whole.tmp.mp4 cut-mp4.mp4
film whole.tmp.mp4 10 -c:v libx264 -bf 0 -crf 40 -g 1 -c:a aac -b:a 16k -movflags +frag_keyframe+empty_moov+default_base_moof; half whole.tmp.mp4 cut-fragmented.mp4
# A recorder's AMR: frames of 12.2 kbit/s, 50 in a second.
{ printf '#!AMR\n'; i=0; while [ $i -lt 100 ]; do printf '\074'; head -c 31 /dev/zero; i=$((i + 1)); done; } > amr.amr
