import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { openDurableSteps } from './steps/durable-steps.ts';
import { readFloorConfig } from './steps/floor-config.ts';
import { openObjectStore } from './steps/object-store.ts';
import { answerJson, serveFloor } from './steps/serve-floor.ts';

// A signed download through a bare relay: check the signature, read the record, pass the store's answer on, a range too.
// POST registers a stored object and returns the signed path.

const config = readFloorConfig();
const steps = openDurableSteps(config.databaseUrl);
const store = openObjectStore(config.store);
const secret = randomBytes(32);
const PASSED = ['content-length', 'content-range', 'etag'];

const sign = (id: string): string => createHmac('sha256', secret).update(id).digest('hex');

serveFloor(async (request, response) => {
  const url = new URL(request.url ?? '', 'http://floor');
  if (request.method === 'POST') {
    const id = randomUUID();
    await steps.commit({
      step: 'stored',
      record: { id, isNew: true, data: { key: url.searchParams.get('key') ?? '' } },
    });
    return answerJson(response, 201, { path: `/${id}?signature=${sign(id)}` });
  }
  const id = url.pathname.slice(1);
  const given = Buffer.from(url.searchParams.get('signature') ?? '');
  const expected = Buffer.from(sign(id));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return answerJson(response, 403, {});
  }
  const { key = '' } = await steps.read(id);
  const { range } = request.headers;
  const found = await store.open(key, range === undefined ? {} : { range });
  const passed = PASSED.flatMap((name) => (found.headers[name] === undefined ? [] : [[name, found.headers[name]]]));
  response.writeHead(found.statusCode ?? 500, Object.fromEntries(passed));
  await pipeline(found, response);
});
