import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import sharp from 'sharp';

// The least cost of a variant of a picture: decode, resize, encode in falling quality until it fits, sha256, file in and file out. No
// header is read first, no limit is watched, no facts are returned.
// A child with a channel: takes one job at a time and returns the digest; ends with the channel.

type Job = { path: string; outputPath: string; maxEdgePixels: number; maxBytes: number };

const qualities = [
  { quality: 85, chromaSubsampling: '4:4:4' },
  { quality: 75, chromaSubsampling: '4:2:0' },
  { quality: 68, chromaSubsampling: '4:2:0' },
  { quality: 60, chromaSubsampling: '4:2:0' },
];
// As many of these processes as processors: each uses one.
sharp.concurrency(1);
sharp.cache(false);

async function makeVariant({ path, outputPath, maxEdgePixels, maxBytes }: Job): Promise<string> {
  const { data, info } = await sharp(path, { failOn: 'error', sequentialRead: true })
    .autoOrient()
    .resize(maxEdgePixels, maxEdgePixels, { fit: 'inside', withoutEnlargement: true })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  let bytes = Buffer.alloc(0);
  for (const options of qualities) {
    bytes = await sharp(data, { raw: { width, height, channels } }).jpeg(options).toBuffer();
    if (bytes.length <= maxBytes) break;
  }
  writeFileSync(outputPath, bytes, { mode: 0o600 });
  return createHash('sha256').update(bytes).digest('hex');
}

process.on('message', (job: Job) => void makeVariant(job).then((digest) => process.send?.(digest)));
process.once('disconnect', () => process.exit(0));
