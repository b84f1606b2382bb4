import { parentPort } from 'node:worker_threads';
import '../thread.ts';

// Reads bodies as the real one does, and waits behind each message.

const WAIT_MS = 15;
const clock = new Int32Array(new SharedArrayBuffer(4));
parentPort?.on('message', () => Atomics.wait(clock, 0, 0, WAIT_MS));
