import type { ReceivedImage } from './read-prompt.ts';

const SAMPLE_EDGE_PIXELS = 64;
// Colours that lie closer together than this (in RGB) count as one.
const SAME_COLOUR_DISTANCE = 60;

export type Colour = { red: number; green: number; blue: number; share: number };

/** The content of an image, or the note that it does not decode. */
export type ImageView =
  | { status: 'decoded'; format: string; width: number; height: number; colours: Colour[] }
  | { status: 'undecodable' };

export async function lookAtImage(bytes: Uint8Array, colourCount: number): Promise<ImageView> {
  const { default: sharp } = await import('sharp');
  try {
    const image = sharp(bytes);
    const { width, height, format } = await image.metadata();
    const pixels = await image
      .resize(SAMPLE_EDGE_PIXELS, SAMPLE_EDGE_PIXELS, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: 'white' })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer();
    return { status: 'decoded', format, width, height, colours: dominantColours(pixels, colourCount) };
  } catch {
    return { status: 'undecodable' };
  }
}

/** The most frequent colours of raw RGB pixels, most frequent first, near ones joined. */
export function dominantColours(pixels: Uint8Array, count: number): Colour[] {
  const bins = new Map<number, { red: number; green: number; blue: number; count: number }>();
  for (let index = 0; index + 2 < pixels.length; index += 3) {
    const [red = 0, green = 0, blue = 0] = pixels.subarray(index, index + 3);
    const key = ((red >> 5) << 10) | ((green >> 5) << 5) | (blue >> 5);
    const bin = bins.get(key) ?? { red: 0, green: 0, blue: 0, count: 0 };
    bins.set(key, { red: bin.red + red, green: bin.green + green, blue: bin.blue + blue, count: bin.count + 1 });
  }
  const total = Math.max(1, Math.floor(pixels.length / 3));
  const found: Colour[] = [];
  for (const bin of [...bins.values()].sort((a, b) => b.count - a.count)) {
    const mean = (sum: number) => Math.round(sum / bin.count);
    const colour = { red: mean(bin.red), green: mean(bin.green), blue: mean(bin.blue), share: bin.count / total };
    const near = found.find((each) => distance(each, colour) < SAME_COLOUR_DISTANCE);
    if (near !== undefined) near.share += colour.share;
    else if (found.length < count) found.push(colour);
  }
  return found.sort((a, b) => b.share - a.share);
}

function distance(a: Colour, b: Colour): number {
  return Math.hypot(a.red - b.red, a.green - b.green, a.blue - b.blue);
}

export function hexOf({ red, green, blue }: Colour): string {
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`.toUpperCase();
}

/** The agent's text about an image that it got. The digest is of the bytes that arrived. */
export async function describeImage(image: ReceivedImage): Promise<string> {
  const view = await lookAtImage(image.bytes, 3);
  const received = `${image.mimeType}, ${image.bytes.length} bytes, sha256 ${image.sha256}`;
  if (view.status === 'undecodable') return `an image that does not decode (${received})`;
  const colours = view.colours.map((each) => `${hexOf(each)} ${Math.round(each.share * 100)} %`).join(', ');
  return `a ${view.format.toUpperCase()} image of ${view.width} × ${view.height} pixels, mostly ${colours} (${received})`;
}
