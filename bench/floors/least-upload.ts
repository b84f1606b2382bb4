import { randomUUID } from 'node:crypto';
import { openLeastSteps } from './steps/least-steps.ts';
import { answerJson, serveFloor } from './steps/serve-floor.ts';

// The least that makes an upload durable at all: the bytes stored once, with their digest, and one commit of one row that names them. No key, no
// reservation, no session log, no message: nothing would ever happen to the file. What the floors do beyond this is the design's own cost.

const steps = await openLeastSteps();

serveFloor(async (request, response) => {
  const id = randomUUID();
  const sha256 = await steps.store(id, request, Number(request.headers['content-length']));
  await steps.commit(id, 'stored', { sha256 });
  answerJson(response, 201, { id, sha256 });
});
