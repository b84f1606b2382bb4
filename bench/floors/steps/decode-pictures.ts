import sharp from 'sharp';

// The least work to know that a picture can be decoded: all of its pixels, once. No header is read first, no end is looked for, no facts are returned.
// A child with a channel: takes one path at a time and returns whether it decodes; ends with the channel.

// As many of these processes as processors: each uses one.
sharp.concurrency(1);
sharp.cache(false);

async function decodePicture(path: string): Promise<boolean> {
  const decoded = sharp(path, { failOn: 'error', sequentialRead: true }).raw().toBuffer();
  return await decoded.then(
    () => true,
    () => false,
  );
}

process.on('message', (path: string) => void decodePicture(path).then((isWhole) => process.send?.(isWhole)));
process.once('disconnect', () => process.exit(0));
