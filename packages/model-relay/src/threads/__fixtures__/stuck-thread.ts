import { parentPort } from 'node:worker_threads';

// Takes all and reads nothing.

parentPort?.on('message', () => {});
