import postgres from 'postgres';
import { type CpuMeter, meterCpu } from '../../processes/meter-cpu.ts';
import { followEvents } from '../../product/follow-events.ts';
import type { HttpClient } from '../../product/http-client.ts';
import { createSession, putFile, readUpload } from '../../product/product-calls.ts';
import { pause } from '../../report/sample.ts';
import type { HostedBench } from '../bench.ts';

/** Who takes pictures and looks at them: the product, or the least durable. */
export type PictureSide = {
  clients: readonly HttpClient[];
  /** Meters its own processes, including those that inspect pictures. */
  meter(): Promise<CpuMeter>;
  /** Returns the name of the picture once it is accepted. */
  upload(by: HttpClient, picture: Uint8Array): Promise<string>;
  waitUntilReady(id: string): Promise<void>;
  /** Resolves when no work on the pictures is left in the background. */
  waitUntilDone(): Promise<void>;
  close(): Promise<void>;
};

const REST_MS = 40;
const PREVIEWS_MS = 60_000;

const describeFile = (bytes: Uint8Array) => ({
  ...{ bytes, sizeBytes: bytes.byteLength, mimeType: 'image/png', name: 'noise.png' },
});

/** Pictures of one session, with one follower. What is done of them at the end are their previews. */
export async function openProductSide({ product }: HostedBench): Promise<PictureSide> {
  const { client, clients, stack } = product;
  const { session } = await createSession(client);
  const followed = await followEvents(client, session.id);
  const sql = postgres(stack.database.superuserUrl, { max: 1, onnotice: () => {} });
  return {
    clients,
    meter: () => meterCpu(product.pids()),
    upload: async (by, picture) => readUpload(await putFile(by, session.id, describeFile(picture))).attachment.id,
    async waitUntilReady(id) {
      await followed.arrival('attachment.ready', id, 'attachment.rejected');
    },
    /** Asks the database, which is none of our processes. */
    async waitUntilDone() {
      const until = Date.now() + PREVIEWS_MS;
      while (Date.now() < until) {
        await pause(REST_MS);
        const [row] = await sql`
          select not exists (select 1 from attachment a where a.kind = 'image' and a.status = 'ready'
            and not exists (select 1 from variant v where v.tenant_id = a.tenant_id and v.source_sha256 = a.sha256)) as all`;
        if (row?.all) return;
      }
      throw new Error('A picture has no preview.');
    },
    async close() {
      followed.stop();
      await sql.end();
    },
  };
}

/** The least durable makes no previews. */
export function openLeastSide({ floors }: HostedBench): PictureSide {
  const { clients, pid } = floors.pictures;
  return {
    clients,
    meter: () => meterCpu([pid]),
    async upload(by, picture) {
      const { status, body } = await putFile(by, 'none', describeFile(picture));
      if (status !== 201) throw new Error(`The least durable answered ${status}.`);
      return (JSON.parse(body) as { id: string }).id;
    },
    async waitUntilReady(id) {
      const { status } = await (clients[0] as HttpClient).send({ method: 'GET', path: `/${id}` });
      if (status !== 200) throw new Error(`The least durable answered ${status}.`);
    },
    waitUntilDone: () => pause(REST_MS),
    close: async () => {},
  };
}
