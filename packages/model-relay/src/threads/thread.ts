import { parentPort } from 'node:worker_threads';
import { type BodyJudge, judgeBody } from '../body/judge-body.ts';
import type { FromThread, ToThread } from './thread-messages.ts';

// Reads large bodies beside the thread that passes them on. One message after the other, so that several bodies go by turns.

type Body = { readonly judge: BodyJudge; readonly steps: readonly SharedArrayBuffer[] };

const bodies = new Map<number, Body>();
const say = (message: FromThread): void => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToThread) => {
  const { id } = message;
  switch (message.kind) {
    case 'begin': {
      const { access, question } = message.reading;
      bodies.set(id, { judge: judgeBody(access, question, () => {}), steps: message.steps });
      return;
    }
    case 'read':
      return readStep(id, message.step, message.sizeBytes);
    case 'end':
      return endBody(id);
    case 'drop':
      return void bodies.delete(id);
    default:
      message satisfies never;
  }
});

function readStep(id: number, step: number, sizeBytes: number): void {
  const body = bodies.get(id);
  const bytes = body?.steps[step];
  if (body === undefined || bytes === undefined) return;
  const code = body.judge.write(Buffer.from(bytes, 0, sizeBytes));
  if (code === undefined) {
    say({ kind: 'free', id, step });
    return;
  }
  bodies.delete(id);
  say({ kind: 'refused', id, code });
}

function endBody(id: number): void {
  const body = bodies.get(id);
  if (body === undefined) return;
  bodies.delete(id);
  const code = body.judge.end();
  say(code === undefined ? { kind: 'read', id, content: body.judge.readContent() } : { kind: 'refused', id, code });
}
