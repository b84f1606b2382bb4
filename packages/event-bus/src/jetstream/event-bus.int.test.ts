import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeEventBus } from '../../contract/event-bus.contract.ts';
import {
  type Backends,
  log,
  missing,
  openRinging,
  readDead,
  startBackends,
} from '../../contract/jetstream-backends.contract.ts';
import { ensureTopology } from './ensure.ts';
import { createJetstreamEventBus } from './event-bus.ts';
import { connectJetstream } from './link.ts';
import { startRelay } from './relay/relay.ts';
import { createRings } from './ring/rings.ts';

const services = ['ingest', 'projector', 'runner-gateway'] as const;

/** Three connected services with their relays, as three processes have them, and the bus of a fourth that may consume all; with rings if commits ring. */
async function openBus(backends: Backends, leaseMs: number, isRung: boolean) {
  const { doorbells, nats } = backends;
  const ringing = isRung ? await openRinging(backends) : undefined;
  const db = ringing?.db ?? backends.db;
  const opened = await Promise.all(
    services.map(async (service) => {
      const link = await connectJetstream({ url: nats.url, service, log });
      await ensureTopology(link);
      return { link, relay: startRelay({ db, link, publisher: service, doorbells, log }) };
    }),
  );
  const link = opened[0]?.link;
  if (!link) throw new Error('no link');
  return {
    bus: createJetstreamEventBus({ link, db, doorbells, log, leaseMs, rings: isRung ? createRings(link) : undefined }),
    readDead: (tenantId: string) => readDead(backends, tenantId),
    async close() {
      await Promise.all(opened.map(({ relay }) => relay.stop()));
      await Promise.all(opened.map((one) => one.link.close()));
      await ringing?.close();
    },
  };
}

if (missing) {
  describe.skip(`jetstream event bus: ${missing}`, () => {
    it('runs the contract', () => {});
  });
} else {
  let backends: Backends;
  beforeAll(async () => {
    backends = await startBackends();
  });
  afterAll(() => backends.stop());

  describeEventBus('jetstream', ({ leaseMs }) => openBus(backends, leaseMs, false));
  describeEventBus('jetstream, rung at each commit', ({ leaseMs }) => openBus(backends, leaseMs, true));

  describe('jetstream event bus', () => {
    it('is not ready without NATS, and is again when it is back [W13]', async () => {
      const opened = await openBus(backends, 60_000, true);
      await opened.bus.checkReady();
      await backends.nats.kill();
      await vi.waitFor(() => expect(opened.bus.checkReady()).rejects.toThrow('does not answer'), { timeout: 60_000 });
      await backends.nats.start();
      await vi.waitFor(() => opened.bus.checkReady(), { timeout: 60_000 });
      await opened.close();
    });
  });
}
