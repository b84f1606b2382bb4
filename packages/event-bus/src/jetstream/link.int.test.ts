import { createServer } from 'node:net';
import type { OwnNats } from '@attache/test-servers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { log, missing, openLink, startOwnNats } from '../../contract/jetstream-backends.contract.ts';
import { ensureTopology } from './ensure.ts';
import { connectJetstream } from './link.ts';
import { ADVISORY_STREAM, consumersOf, streams, WORK_STREAM } from './topology.ts';

const WAIT = { timeout: 60_000, interval: 20 };

/** Something that greets as a NATS server of a version does. */
async function greetAs(info: { version: string; jetstream?: boolean }): Promise<string> {
  const greeting = { server_id: 'x', proto: 1, max_payload: 1_048_576, headers: true, jetstream: true, ...info };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => data.includes('PING') && socket.write('PONG\r\n'));
    socket.write(`INFO ${JSON.stringify(greeting)}\r\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return `nats://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const connect = (url: string) => connectJetstream({ url, service: 'ingest', log });

/** The one sentence with which a connection is refused. */
async function refusalOf(url: string): Promise<string> {
  const error = await connect(url).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID' });
  const { message } = error as Error;
  expect(message).toContain('ATTACHE_NATS_URL');
  expect(message).not.toMatch(/\n|canary/);
  return message;
}

const users =
  'authorization { users = [ { user: "ingest", password: "canary-right" }, { user: "none", password: "canary-none", permissions: { publish: "x", subscribe: "x" } } ] }';

describe.skipIf(missing)(missing ? `NATS at the start: ${missing}` : 'NATS at the start', () => {
  let nats: OwnNats;
  let guarded: OwnNats;
  beforeAll(async () => {
    [nats, guarded] = await Promise.all([startOwnNats(), startOwnNats({ config: users })]);
  });
  afterAll(async () => {
    await Promise.all([nats.stop(), guarded.stop()]);
  });

  const withLogin = (login: string) => guarded.url.replace('//', `//${login}@`);

  it('is refused by one sentence when it is too old, has no JetStream, or is not there [S27]', async () => {
    expect(await refusalOf(await greetAs({ version: '2.10.29' }))).toContain(
      'is 2.10.29, and must be 2.11.16 or newer',
    );
    expect(await refusalOf(await greetAs({ version: '2.15.2', jetstream: false }))).toContain('has no JetStream');
    expect(await refusalOf('nats://ingest:canary@127.0.0.1:1')).toContain('No NATS server answers at 127.0.0.1:1');
  });

  it('is refused by one sentence with wrong credentials, none, or those of another service [S27 S28]', async () => {
    expect(await refusalOf(withLogin('ingest:canary-wrong'))).toContain('refuses the user or password');
    expect(await refusalOf(guarded.url)).toContain('refuses the user or password');
    expect(await refusalOf(withLogin('none:canary-none'))).toContain('use the user of this service');
    const link = await connect(withLogin('ingest:canary-right'));
    expect(link.serverVersion).toMatch(/^2\.\d+\.\d+/);
    await link.checkReady();
    await link.close();
    await expect(link.checkReady()).rejects.toThrow('does not answer');
  });

  it('gets its streams and consumers once, however many processes start together, and again changes nothing', async () => {
    const services = ['ingest', 'projector', 'runner-gateway', 'ingest', 'projector', 'runner-gateway'] as const;
    const links = await Promise.all(services.map((service) => openLink(nats, service)));
    const [link] = links;
    if (!link) throw new Error('no link');
    const readAll = async () => {
      const found = await Promise.all(streams.map(({ name }) => link.jsm.streams.info(name)));
      const consumers = await Promise.all(
        (['projector', 'runner-gateway'] as const)
          .flatMap((service) => consumersOf(service))
          .map(({ stream, config }) => link.jsm.consumers.info(stream, config.durable_name)),
      );
      return [...found, ...consumers].map(({ config }) => config);
    };
    const before = await readAll();
    expect(before).toMatchObject([
      {
        name: WORK_STREAM,
        retention: 'workqueue',
        storage: 'file',
        discard: 'new',
        max_msg_size: 65_536,
        num_replicas: 1,
      },
      { name: ADVISORY_STREAM, retention: 'limits', discard: 'old' },
      {
        durable_name: 'projector',
        filter_subject: 'attache.work.projector.>',
        ack_policy: 'explicit',
        max_deliver: -1,
      },
      { durable_name: 'runner-gateway', filter_subject: 'attache.work.runner-gateway.>', max_deliver: -1 },
    ]);
    await Promise.all(links.map((one) => ensureTopology(one, { ackWaitMs: 500 })));
    expect(await readAll()).toEqual(before);
  });

  it('is brought up to date where it stands otherwise, but not back where a newer release was', async () => {
    const link = await openLink(nats, 'projector');
    const { jsm } = link;
    const readLimits = async () => {
      const stream = await jsm.streams.info(WORK_STREAM);
      const consumer = await jsm.consumers.info(WORK_STREAM, 'projector');
      return [stream.config.max_bytes, consumer.config.max_deliver];
    };
    await jsm.streams.update(WORK_STREAM, { max_bytes: 1_000_000 });
    await jsm.consumers.update(WORK_STREAM, 'projector', { max_deliver: 3 });
    await ensureTopology(link);
    expect(await readLimits()).toEqual([256 * 1024 * 1024, -1]);
    const newer = { metadata: { 'attache.topology': '99' } };
    await jsm.streams.update(WORK_STREAM, { max_bytes: 1_000_000, ...newer });
    await jsm.consumers.update(WORK_STREAM, 'projector', { max_deliver: 3, ...newer });
    await ensureTopology(link);
    expect(await readLimits()).toEqual([1_000_000, 3]);
  });

  it('is refused by one sentence where a stream cannot become what is needed', async () => {
    const link = await openLink(nats, 'ingest');
    await link.jsm.streams.delete(WORK_STREAM);
    await link.jsm.streams.add({ name: WORK_STREAM, subjects: ['attache.work.>'], retention: 'limits' });
    await expect(ensureTopology(link)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringMatching(
        /^The NATS stream ATTACHE_WORK cannot be brought up to date \(ATTACHE_NATS_URL\): .*\.$/,
      ),
    });
    await link.jsm.streams.delete(WORK_STREAM);
    await ensureTopology(link);
  });

  it('is waited for when it is lost later, and said to be gone meanwhile [W13]', async () => {
    const link = await openLink(nats, 'ingest');
    const back = vi.fn();
    link.onReconnected(back);
    await nats.kill();
    const sentence = /^NATS at 127\.0\.0\.1:\d+ does not answer\.$/;
    await vi.waitFor(() => expect(link.checkReady()).rejects.toThrow(sentence), WAIT);
    await nats.start();
    await vi.waitFor(() => link.checkReady(), WAIT);
    expect(back).toHaveBeenCalled();
  });
});
