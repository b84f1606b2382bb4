import { type Colour, hexOf, lookAtImage } from './describe-image.ts';
import { drawLabel, LABEL_UNITS } from './draw-label.ts';

const PHOTO_WIDTH = 720;
const PHOTO_MAX_HEIGHT = 720;
const MARGIN = 24;
const SWATCH_HEIGHT = 72;
const COLOUR_COUNT = 5;
const PAPER = '#FAF9F6';

export type Card = { bytes: Buffer; mimeType: 'image/png' };

/** A card of an image: the image on paper above its five main colours, each with its code. Undefined if the image does not decode. */
export async function drawCard(bytes: Uint8Array): Promise<Card | undefined> {
  const { default: sharp } = await import('sharp');
  const view = await lookAtImage(bytes, COLOUR_COUNT);
  if (view.status === 'undecodable') return undefined;
  const photo = await sharp(bytes)
    .autoOrient()
    .resize(PHOTO_WIDTH, PHOTO_MAX_HEIGHT, { fit: 'inside' })
    .flatten({ background: PAPER })
    .png()
    .toBuffer({ resolveWithObject: true });
  const width = Math.max(PHOTO_WIDTH, photo.info.width) + 2 * MARGIN;
  const height = photo.info.height + SWATCH_HEIGHT + 3 * MARGIN;
  const strip = Buffer.from(drawStrip(view.colours, width - 2 * MARGIN));
  const card = await sharp({ create: { width, height, channels: 3, background: PAPER } })
    .composite([
      { input: photo.data, left: Math.round((width - photo.info.width) / 2), top: MARGIN },
      { input: strip, left: MARGIN, top: photo.info.height + 2 * MARGIN },
    ])
    .png({ palette: false })
    .toBuffer();
  return { bytes: card, mimeType: 'image/png' };
}

/** Swatches as wide as their colour's share, but never too narrow for its code. */
function drawStrip(colours: readonly Colour[], width: number): string {
  const shares = colours.map(({ share }) => Math.max(share, 0.12));
  const total = shares.reduce((sum, share) => sum + share, 0);
  let left = 0;
  const swatches = colours.map((colour, index) => {
    const swatchWidth = ((shares[index] ?? 0) / total) * width;
    const swatch = drawSwatch(colour, left, swatchWidth);
    left += swatchWidth;
    return swatch;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${SWATCH_HEIGHT}">${swatches.join('')}</svg>`;
}

function drawSwatch(colour: Colour, left: number, width: number): string {
  const code = hexOf(colour);
  const isDark = 0.299 * colour.red + 0.587 * colour.green + 0.114 * colour.blue < 140;
  const unit = 2;
  const labelLeft = left + (width - LABEL_UNITS * unit) / 2;
  const label = drawLabel(code, {
    left: labelLeft,
    top: SWATCH_HEIGHT - 22,
    unit,
    fill: isDark ? '#FFFFFF' : '#1A1A1A',
  });
  return `<rect x="${left}" y="0" width="${width + 0.5}" height="${SWATCH_HEIGHT}" fill="${code}"/>${label}`;
}
