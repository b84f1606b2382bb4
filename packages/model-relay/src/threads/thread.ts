import { parentPort } from 'node:worker_threads';
import { type BodyJudge, judgeBody } from '../body/judge-body.ts';
import type { FromThread, ToThread } from './thread-messages.ts';

// Reads large bodies in a thread next to the one that passes them on. It handles one message after the other, so that several bodies take turns.

const bodies = new Map<number, BodyJudge>();
const say = (message: FromThread, transferred: ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, transferred);

parentPort?.on('message', (message: ToThread) => {
  const { id } = message;
  switch (message.kind) {
    case 'begin': {
      const { access, question } = message.reading;
      bodies.set(
        id,
        judgeBody(access, question, () => {}),
      );
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

function readStep(id: number, step: ArrayBuffer, sizeBytes: number): void {
  const code = bodies.get(id)?.write(Buffer.from(step, 0, sizeBytes));
  if (code !== undefined) {
    bodies.delete(id);
    say({ kind: 'refused', id, code });
  }
  say({ kind: 'free', id, step }, [step]);
}

function endBody(id: number): void {
  const judge = bodies.get(id);
  if (judge === undefined) return;
  bodies.delete(id);
  const code = judge.end();
  say(code === undefined ? { kind: 'read', id, content: judge.readContent() } : { kind: 'refused', id, code });
}
