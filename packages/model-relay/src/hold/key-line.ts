/** A request that waits, and how it is let go. */
export type Waiting = { readonly tenant: string; go(): void };

/** The end of a request that was let go. `limited`: the provider still takes none; `waitMs` if it gave a time. */
export type Settled =
  | { readonly as: 'answered' | 'lost' }
  | { readonly as: 'limited'; readonly waitMs: number | undefined };

/**
 * Requests that wait under one key of a provider. Tenants take turns: when the time is over, one request goes as a try; when it gets a response, the others
 * follow.
 */
export type KeyLine = {
  /** In the order of the tenants' turns, and in it in the order of coming. */
  readonly queues: Map<string, Set<Waiting>>;
  /** Called when nobody waits any more and the key may be used, or nobody is there to try it. */
  readonly onEmpty: () => void;
  /** The end of the wait, by `performance.now()`. */
  untilMs: number;
  timer: NodeJS.Timeout | undefined;
  heldCount: number;
  /** Whether an answer has shown that the provider takes requests again. */
  isOpen: boolean;
  /** The requests that were let go and have no response yet. */
  outCount: number;
};

/** How many an answer lets go: the line empties faster with each, and one more refusal stops it early. */
const GOES_WITH_ANSWER = 2;
/** After so long without an answer one more goes: a model may think for minutes before its first word. */
const NEXT_MS = 250;
const NEXT_TRY_MS = 30_000;

export const createKeyLine = (onEmpty: () => void): KeyLine => ({
  ...{ queues: new Map(), onEmpty, untilMs: 0, timer: undefined, heldCount: 0, isOpen: false, outCount: 0 },
});

export const findTimeLeft = ({ untilMs }: KeyLine): number => Math.max(0, untilMs - performance.now());

/** The provider takes none under this key for so long. */
export function holdLine(line: KeyLine, waitMs: number): void {
  line.untilMs = Math.max(line.untilMs, performance.now() + waitMs);
  line.isOpen = false;
  armTimer(line);
}

export function joinLine(line: KeyLine, waiting: Waiting): void {
  const queue = line.queues.get(waiting.tenant) ?? new Set();
  line.queues.set(waiting.tenant, queue.add(waiting));
  line.heldCount += 1;
}

/** Removes a request that no longer waits, for whatever reason. */
export function leaveLine(line: KeyLine, waiting: Waiting): void {
  const queue = line.queues.get(waiting.tenant);
  if (!queue?.delete(waiting)) return;
  if (queue.size === 0) line.queues.delete(waiting.tenant);
  line.heldCount -= 1;
  letGo(line, 0);
}

/** Settles a request that was let go. */
export function settleInLine(line: KeyLine, settled: Settled): void {
  line.outCount -= 1;
  if (settled.as === 'limited' && settled.waitMs !== undefined) holdLine(line, settled.waitMs);
  if (settled.as === 'answered' && findTimeLeft(line) === 0) line.isOpen = true;
  letGo(line, settled.as === 'answered' ? GOES_WITH_ANSWER : 1);
}

function armTimer(line: KeyLine, leftMs = findTimeLeft(line)): void {
  clearTimeout(line.timer);
  const waitMs = leftMs > 0 ? leftMs : line.isOpen ? NEXT_MS : NEXT_TRY_MS;
  line.timer = setTimeout(() => takeTime(line), Math.ceil(waitMs));
}

/** A timer may be early by a part of a millisecond; what is left is looked at once, so that it is not over at the second look. */
function takeTime(line: KeyLine): void {
  const leftMs = findTimeLeft(line);
  if (leftMs > 0) armTimer(line, leftMs);
  else letGo(line, 1);
}

function letGo(line: KeyLine, count: number): void {
  if (findTimeLeft(line) > 0) return;
  for (let index = 0; index < count; index += 1) {
    const next = takeNext(line.queues);
    if (next === undefined) break;
    line.heldCount -= 1;
    line.outCount += 1;
    next.go();
  }
  if (line.heldCount > 0 || (line.outCount > 0 && !line.isOpen)) armTimer(line);
  else endLine(line);
}

function endLine(line: KeyLine): void {
  clearTimeout(line.timer);
  line.onEmpty();
}

/** The tenant whose turn it was is the last one from now on. */
function takeNext(queues: KeyLine['queues']): Waiting | undefined {
  const [next] = queues;
  if (next === undefined) return undefined;
  const [tenant, queue] = next;
  const [first] = queue;
  queues.delete(tenant);
  if (first !== undefined) queue.delete(first);
  if (queue.size > 0) queues.set(tenant, queue);
  return first;
}
