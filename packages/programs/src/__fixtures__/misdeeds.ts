import { closeSync, writeSync } from 'node:fs';

const LINE = /^example: ([a-z0-9-]+)(?: (\d+))?\s*$/gm;
const kept: Buffer[] = [];

/** Reads the deeds, with their numbers, that a prompt demands of a fake agent. */
export function readDeeds(text: string): Map<string, number> {
  return new Map([...text.matchAll(LINE)].map(([, name = '', number = '0']) => [name, Number(number)]));
}

/** Deeds that are the same in every protocol. `interrupted` resolves when the turn is to end. */
export async function doDeeds(deeds: ReadonlyMap<string, number>, interrupted: Promise<void>): Promise<void> {
  if (deeds.has('crash-before-answer')) die();
  if (deeds.has('half-frame')) {
    writeSync(1, '{"type":"assis');
    die();
  }
  if (deeds.has('ignore-sigterm')) ignoreSigterm();
  if (deeds.has('garbage')) writeSync(1, 'no message at all\n'.repeat(64));
  if (deeds.has('long-line')) writeLongLine(deeds.get('long-line') ?? 0);
  if (deeds.has('close-input')) process.stdin.destroy();
  if (deeds.has('close-output')) await closeOutput();
  if (deeds.has('stop-reading')) setTimeout(blockForEver, 100);
  if (deeds.has('eat-memory')) kept.push(Buffer.alloc(deeds.get('eat-memory') ?? 0, 1));
  if (deeds.has('deaf')) await new Promise(() => setInterval(() => undefined, 60_000));
  if (deeds.has('hang')) await interrupted;
  if (deeds.has('slow')) {
    const pause = new Promise<void>((resolve) => setTimeout(resolve, deeds.get('slow')));
    await Promise.race([pause, interrupted]);
  }
}

/** Pieces of output whose sizes come to what `flood` says. */
export function* floodOf(deeds: ReadonlyMap<string, number>): Generator<string> {
  for (let left = deeds.get('flood') ?? 0; left > 0; left -= 100_000) yield 'x'.repeat(100_000);
}

export function die(): void {
  writeSync(2, 'fake-agent: crashing as it was told\n');
  process.kill(process.pid, 'SIGKILL');
}

/** Asks on and on. Its event loop never turns again, so that no answer is read. */
export function askEndlessly(compose: (round: number) => object): never {
  for (let round = 0; ; round += 1) writeThrough(`${JSON.stringify(compose(round))}\n`);
}

// To the last byte, though the event loop is blocked.
function writeThrough(line: string): void {
  let rest = Buffer.from(line);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

async function closeOutput(): Promise<never> {
  closeSync(1);
  return await new Promise<never>(() => setInterval(() => undefined, 60_000));
}

function ignoreSigterm(): void {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 60_000);
}

function blockForEver(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function writeLongLine(length: number): void {
  const piece = Buffer.alloc(1_000_000, 'x');
  for (let left = length; left > 0; left -= piece.length) process.stdout.write(piece);
  process.stdout.write('\n');
}
