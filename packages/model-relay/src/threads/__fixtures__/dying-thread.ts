import { parentPort } from 'node:worker_threads';
import type { ToThread } from '../thread-messages.ts';
import '../thread.ts';

// Reads bodies as the real one does, and ends amid the first that holds this word.

const steps = new Map<number, SharedArrayBuffer[]>();

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'begin') steps.set(message.id, message.steps);
  if (message.kind !== 'read') return;
  const step = steps.get(message.id)?.[message.step];
  if (step !== undefined && Buffer.from(step, 0, message.sizeBytes).includes('DIE-HERE')) process.exit(1);
});
