/** Bytes that no compression and no de-duplication makes smaller, for the first 64 kB. */
export function makeBytes(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sizeBytes);
  crypto.getRandomValues(bytes.subarray(0, Math.min(sizeBytes, 65_536)));
  return bytes;
}

export const makeFile = (sizeBytes: number, name = 'random.bin'): File =>
  new File([makeBytes(sizeBytes)], name, { type: 'application/octet-stream' });

export const makeText = (text: string, name: string): File => new File([text], name, { type: 'text/plain' });

const PIXEL =
  '89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082';

/** An image of one white pixel. */
export function makePicture(name = 'pixel.png'): File {
  const bytes = Uint8Array.from(PIXEL.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return new File([bytes], name, { type: 'image/png' });
}

export async function hashBytes(file: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
