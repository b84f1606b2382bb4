type Magic = {
  mimeType: string;
  /** Offset of `bytes` in the file. */
  at: number;
  /** As Latin-1 text. */
  bytes: string;
};

/** Formats whose fixed run of bytes distinguishes them from all others and from text. */
export const magics: readonly Magic[] = [
  { mimeType: 'image/png', at: 0, bytes: '\x89PNG\r\n\x1a\n' },
  { mimeType: 'image/jpeg', at: 0, bytes: '\xff\xd8\xff' },
  { mimeType: 'image/gif', at: 0, bytes: 'GIF87a' },
  { mimeType: 'image/gif', at: 0, bytes: 'GIF89a' },
  { mimeType: 'image/tiff', at: 0, bytes: 'II*\0' },
  { mimeType: 'image/tiff', at: 0, bytes: 'MM\0*' },
  { mimeType: 'image/tiff', at: 0, bytes: 'II+\0' },
  { mimeType: 'image/tiff', at: 0, bytes: 'MM\0+' },
  { mimeType: 'image/vnd.microsoft.icon', at: 0, bytes: '\0\0\x01\0' },
  { mimeType: 'image/vnd.adobe.photoshop', at: 0, bytes: '8BPS\0' },
  { mimeType: 'image/jxl', at: 0, bytes: '\0\0\0\x0cJXL \r\n\x87\n' },
  { mimeType: 'image/jp2', at: 0, bytes: '\0\0\0\x0cjP  \r\n\x87\n' },
  { mimeType: 'application/pdf', at: 0, bytes: '%PDF-' },
  { mimeType: 'application/pdf', at: 0, bytes: '\xef\xbb\xbf%PDF-' },
  { mimeType: 'audio/flac', at: 0, bytes: 'fLaC' },
  { mimeType: 'video/mpeg', at: 0, bytes: '\0\0\x01\xba' },
  { mimeType: 'video/mpeg', at: 0, bytes: '\0\0\x01\xb3' },
  { mimeType: 'video/x-ms-asf', at: 0, bytes: '0&\xb2u\x8ef\xcf\x11' },
  { mimeType: 'video/x-flv', at: 0, bytes: 'FLV\x01' },
  { mimeType: 'application/gzip', at: 0, bytes: '\x1f\x8b\x08' },
  { mimeType: 'application/x-bzip2', at: 4, bytes: '1AY&SY' },
  { mimeType: 'application/x-xz', at: 0, bytes: '\xfd7zXZ\0' },
  { mimeType: 'application/zstd', at: 0, bytes: '(\xb5/\xfd' },
  { mimeType: 'application/x-7z-compressed', at: 0, bytes: "7z\xbc\xaf'\x1c" },
  { mimeType: 'application/vnd.rar', at: 0, bytes: 'Rar!\x1a\x07' },
  { mimeType: 'application/x-tar', at: 257, bytes: 'ustar\0' },
  { mimeType: 'application/x-tar', at: 257, bytes: 'ustar  \0' },
  { mimeType: 'application/x-elf', at: 0, bytes: '\x7fELF' },
  { mimeType: 'application/x-mach-binary', at: 0, bytes: '\xcf\xfa\xed\xfe' },
  { mimeType: 'application/wasm', at: 0, bytes: '\0asm' },
  { mimeType: 'application/x-cfb', at: 0, bytes: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1' },
  { mimeType: 'application/vnd.sqlite3', at: 0, bytes: 'SQLite format 3\0' },
  { mimeType: 'application/rtf', at: 0, bytes: '{\\rtf' },
];
