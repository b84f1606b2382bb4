export type TiffOptions = {
  /** In pixels; 16 without it, as the width. */
  height?: number;
  bits?: number[];
  /** PhotometricInterpretation: 2 is RGB. */
  colours?: number;
  compression?: number;
  isPlanar?: boolean;
  isTiled?: boolean;
  /** SampleFormat: 3 is floating point. */
  format?: number;
  /** Further tags. */
  fields?: Field[];
  isBigEndian?: boolean;
};

type Field = [tag: number, values: number[]];

const width = 16;
const directoryAt = 8;

/** A TIFF of one grey picture whose directory comes before its pixels. */
export function buildTiff(options: TiffOptions = {}): Buffer {
  const { bits = [8, 8, 8], height = width, isPlanar = false, isBigEndian = false } = options;
  const samples = isPlanar ? bits : [bits.reduce((sum, size) => sum + size, 0)];
  const planes = samples.map((size) => Buffer.alloc((width * height * size) / 8, 0x3a));
  const sizes = planes.map(({ length }) => length);
  const encode = (pixelsAt: number) => {
    const offsets = sizes.map((_, index) => pixelsAt + sizes.slice(0, index).reduce((sum, size) => sum + size, 0));
    return encodeDirectory(listFields(options, offsets, sizes), isBigEndian);
  };
  const pixelsAt = directoryAt + encode(0).length;
  const head = Buffer.from(isBigEndian ? 'MM\0*\0\0\0\x08' : 'II*\0\x08\0\0\0', 'latin1');
  return Buffer.concat([head, encode(pixelsAt), ...planes]);
}

function listFields(options: TiffOptions, offsets: number[], sizes: number[]): Field[] {
  const { bits = [8, 8, 8], height = width, colours = 2, compression = 1, format = 1 } = options;
  const general: Field[] = [
    [256, [width]],
    [257, [height]],
    [258, bits],
    [259, [compression]],
    [262, [colours]],
    [277, [bits.length]],
    [284, [options.isPlanar ? 2 : 1]],
    [339, bits.map(() => format)],
    ...(options.fields ?? []),
  ];
  const tiles: Field[] = [
    [322, [width]],
    [323, [height]],
    [324, offsets],
    [325, sizes],
  ];
  const strips: Field[] = [
    [273, offsets],
    [278, [height]],
    [279, sizes],
  ];
  return [...general, ...(options.isTiled ? tiles : strips)].sort(([first], [second]) => first - second);
}

// Every value is a number of 32 bits but those of the pixels' form, which are of 16.
function encodeDirectory(fields: Field[], isBigEndian: boolean): Buffer {
  const widthOf = (tag: number) => (tag >= 273 && tag !== 277 && tag !== 284 && tag < 326 ? 4 : 2);
  const entriesBytes = 2 + fields.length * 12 + 4;
  const extraBytes = fields.map(([tag, values]) => values.length * widthOf(tag)).filter((bytes) => bytes > 4);
  const directory = Buffer.alloc(entriesBytes + extraBytes.reduce((sum, bytes) => sum + bytes, 0));
  const write = (value: number, at: number, width: number) =>
    isBigEndian ? directory.writeUIntBE(value, at, width) : directory.writeUIntLE(value, at, width);
  let extraAt = entriesBytes;
  write(fields.length, 0, 2);
  for (const [index, [tag, values]] of fields.entries()) {
    const [at, width] = [2 + index * 12, widthOf(tag)];
    const isInPlace = values.length * width <= 4;
    write(tag, at, 2);
    write(width === 4 ? 4 : 3, at + 2, 2);
    write(values.length, at + 4, 4);
    if (!isInPlace) write(directoryAt + extraAt, at + 8, 4);
    for (const [place, value] of values.entries()) write(value, (isInPlace ? at + 8 : extraAt) + place * width, width);
    if (!isInPlace) extraAt += values.length * width;
  }
  return directory;
}
