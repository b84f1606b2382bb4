/** A run of bytes, as Latin-1 text, at an offset in a file. */
type Run = readonly [at: number, bytes: string];

const atStart = (...texts: string[]): Run[] => texts.map((bytes) => [0, bytes]);

/**
 * Runs of bytes without which inspection knows a file by no format of its own: more than it needs to know one, never less. The table is
 * held against the library that inspection uses.
 */
export const knownRuns: readonly Run[] = [
  ...atStart('BM', '\x0b\x77', '\x78\x01', 'MZ', '%!', '\x1f\xa0', '\x1f\x9d', '\xc7\x71', '\x60\xea'),
  ...atStart('GIF', 'II\xbc', '\x1f\x8b\x08', 'BZh', 'ID3', 'MP+', 'CWS', 'FWS', '\xff\xd8\xff', 'PK'),
  ...atStart('Obj\x01', 'FLIF', '8BPS', 'MPCK', 'FORM', 'caff', 'icns', 'OggS', 'MThd', 'wOFF', 'wOF2'),
  ...atStart('\xd4\xc3\xb2\xa1', '\xa1\xb2\xc3\xd4', 'DSD ', 'LZIP', 'fLaC', 'BPG\xfb', 'wvpk', '%PDF', '\0asm'),
  ...atStart('II*\0', 'II+\0', 'MM\0*', 'MM\0+', 'MAC ', '\x1a\x45\xdf\xa3', 'SQLi', 'NES\x1a', 'Cr24', 'MSCF'),
  ...atStart('ISc(', '\xed\xab\xee\xdb', '\xc5\xd0\xd3\xc6', '(\xb5/\xfd', '\x7fELF', '!BDN', 'PAR1', 'PARE'),
  ...atStart('ttcf', '\xfe\xed\xfa\xce', '\xfe\xed\xfa\xcf', '\xce\xfa\xed\xfe', '\xcf\xfa\xed\xfe'),
  ...atStart('\x04\x22\x4d\x18', 'regf', '$FL2', '$FL3', 'OTTO\0', '#!AMR', '{\\rtf', 'FLV\x01', 'IMPM', 'ITSF'),
  ...atStart('\0\0\x01\xba', '\0\0\x01\xb3', '\0\0\x01\0', '\0\0\x02\0', '\0\x01\0\0', '\xca\xfe\xba\xbe', '.RMF'),
  ...atStart('DRACO', '\xfd7zXZ\0', '<?xml ', '7z\xbc\xaf', 'Rar!\x1a', 'solid ', 'AC10', '070707', 'BLENDER'),
  ...atStart('!<arch>', 'WEBVTT', '\x89PNG', 'ARROW1\0\0', 'glTF\x02', 'IIRO', 'IIU\0', 'gimp xcf ', 'REGEDIT4'),
  ...atStart('RIFF', '0&\xb2u', '\xabKTX', '\x7e\x10\x04', '\x7e\x18\x04', '\xff\x4f\xff\x51', '\0\0\0\x0cjP  '),
  ...atStart('\0\0\0\x0cJXL ', '\xff\x0a', '\xfe\xff\0<\0?', '\xff\xfe<\0?\0', '\xff\xfe\xff\x0e', '\xff\xfeW\0i\0'),
  ...atStart('\xd0\xcf\x11\xe0', 'FRM8', 'BEGIN:V', 'FUJIFILM', 'Extended Module:', 'Creative Voice', '\x04\0\0\0'),
  ...atStart('\x06\x0e\x2b\x34', 'L\0\0\0\x01\x14\x02', 'book\0\0\0\0mark', 'Kaydara FBX', '\x06\x06\xed\xf5'),
  ...atStart('\xff\xff\0\0', '\0\0\xff\xff', '-----BEGIN PGP MESSAGE'),
  [2, '-lh'],
  [2, '-lz'],
  [2, '\x27\x0a\0\0'],
  [4, 'free'],
  [4, 'mdat'],
  [4, 'moov'],
  [4, 'wide'],
  [4, 'ftyp'],
  [7, '**ACE'],
  [34, 'LP'],
  [36, 'acsp'],
  [44, 'SCRM'],
  [60, 'BOOKMOBI'],
  [128, 'DICM'],
  [257, 'ustar'],
  [32_769, 'CD001'],
];

/** Whether it may be of MPEG: packets of 188 bytes, or of 192, or a frame. One frame would begin as a byte order mark does; no sound is known by it. */
export function mayBeMpeg(text: string): boolean {
  const isPacket = (at: number, next: number) => text[at] === 'G' && text[next] === 'G';
  const isFrame = text[0] === '\xff' && text.charCodeAt(1) >= 0xe0 && text[1] !== '\xfe';
  return isPacket(0, 188) || isPacket(4, 196) || isFrame;
}

/** Whether it may be an old archive of tar, which has a sum of its header and no name. */
export function mayBeOldTar(text: string): boolean {
  return text.startsWith('\0'.repeat(6), 257) && /[0-7]/.test(text.slice(148, 154));
}
