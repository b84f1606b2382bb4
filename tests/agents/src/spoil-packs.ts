import { buffer } from 'node:stream/consumers';
import { Client } from 'minio';

type Store = { endpoint: string; accessKey: string; secretKey: string; bucket: string };

const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** The same bytes with one changed in their middle; undefined if they are no pack of a checkpoint. */
export function spoilPack(bytes: Buffer): Buffer | undefined {
  if (!bytes.subarray(0, ZSTD.length).equals(ZSTD)) return undefined;
  const spoiled = Buffer.from(bytes);
  const middle = spoiled.length >> 1;
  spoiled.writeUInt8(spoiled.readUInt8(middle) ^ 1, middle);
  return spoiled;
}

/** Changes a byte in each pack of an S3 store. Returns how many there are. */
export async function spoilPacksIn({ endpoint, accessKey, secretKey, bucket }: Store): Promise<number> {
  const { hostname, port } = new URL(endpoint);
  const client = new Client({ endPoint: hostname, port: Number(port), useSSL: false, accessKey, secretKey });
  let spoiledCount = 0;
  for await (const { name } of client.listObjectsV2(bucket, '', true)) {
    const spoiled = spoilPack(await buffer(await client.getObject(bucket, name)));
    if (!spoiled) continue;
    await client.putObject(bucket, name, spoiled);
    spoiledCount += 1;
  }
  return spoiledCount;
}
