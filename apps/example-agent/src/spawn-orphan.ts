import { spawn } from 'node:child_process';

/** Leaves a process that has its own session, as a careless tool would. Returns its process id. */
export function spawnOrphan(): number {
  const orphan = spawn('/bin/sleep', ['600'], { detached: true, stdio: 'ignore' });
  orphan.on('error', () => undefined);
  orphan.unref();
  return orphan.pid ?? 0;
}
