import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { listenForInterrupt } from '../interrupt.ts';

// A run that started a program which hears no SIGTERM, and a session of its own below another one.

const interruption = listenForInterrupt({ graceMs: 300 });
const start = (script: string) => spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
const deaf = start('trap "" TERM; echo ready; while :; do sleep 0.1; done');
const nested = start('setsid sh -c "echo ready; sleep 600" & wait');
for (const { stdout } of [deaf, nested]) await new Promise((resolve) => stdout?.once('data', resolve));
process.stdout.write('ready\n');
await new Promise((resolve) => interruption.interrupted.addEventListener('abort', resolve));
await interruption.ended();
process.exitCode = 128 + constants.signals[interruption.signal ?? 'SIGKILL'];
