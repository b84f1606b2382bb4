import { parentPort } from 'node:worker_threads';
import type { ToThread } from '../thread-messages.ts';

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'read' && Buffer.from(message.step, 0, message.sizeBytes).includes('DIE-HERE')) process.exit(1);
});
