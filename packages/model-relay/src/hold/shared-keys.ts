import { hash, randomBytes } from 'node:crypto';
import {
  createKeyLine,
  findTimeLeft,
  holdLine,
  joinLine,
  type KeyLine,
  leaveLine,
  type Settled,
  settleInLine,
  type Waiting,
} from './key-line.ts';

export type SharedKeys = ReturnType<typeof createSharedKeys>;

/** Reports to the requests that share a key how the provider responded to this one. Only the first report counts. */
export type KeyPass = { settle(settled: Settled): void };

/** Keys of providers under which requests wait, found by a digest that says nothing outside of this process. */
export function createSharedKeys({ maxHeld }: { maxHeld: number }) {
  const secret = randomBytes(32).toString('hex');
  const lines = new Map<string, KeyLine>();

  function openLine(name: string): KeyLine {
    const line = createKeyLine(() => void (lines.get(name) === line && lines.delete(name)));
    lines.set(name, line);
    return line;
  }

  return {
    /** Names a key of an origin. Without a key all that ask there share it. */
    nameKey: (origin: string, key: string | undefined): string => hash('sha256', `${secret}\n${origin}\n${key ?? ''}`),
    /** How long a request under this key has to wait at least; undefined where none waits. */
    findWait(name: string): number | undefined {
      const line = lines.get(name);
      return line && findTimeLeft(line);
    },
    /** False: too many wait already. */
    join(name: string, waiting: Waiting): boolean {
      const line = lines.get(name) ?? openLine(name);
      if (line.heldCount >= maxHeld) return false;
      joinLine(line, waiting);
      return true;
    },
    leave(name: string, waiting: Waiting): void {
      const line = lines.get(name);
      if (line !== undefined) leaveLine(line, waiting);
    },
    /** `isLetGo`: it has waited, so that others may wait for it. */
    openPass(name: string, isLetGo: boolean): KeyPass {
      let isSettled = false;
      const own = isLetGo ? lines.get(name) : undefined;
      return {
        settle(settled) {
          if (isSettled) return;
          isSettled = true;
          const line = lines.get(name);
          if (line !== undefined && line === own) settleInLine(line, settled);
          else if (settled.as === 'limited' && settled.waitMs !== undefined)
            holdLine(line ?? openLine(name), settled.waitMs);
        },
      };
    },
    close(): void {
      for (const { timer } of lines.values()) clearTimeout(timer);
    },
  };
}
