import { stripVTControlCharacters } from 'node:util';

type TestError = { name?: string; message: string; diff?: string | undefined; cause?: unknown };

export type TestFailure = {
  name: string;
  /** File and line. */
  place: string;
  errors: readonly TestError[];
  /** The last lines of the logs of the stacks that ran. */
  log: readonly string[];
  /** The command that runs it again with the same seed. */
  repeat: string;
};

const MAX_LINES = 40;
const MAX_LOG_LINES = 12;
const MAX_WIDTH = 240;

/** A failed test as it can be understood alone, in at most forty lines: what was expected, how to repeat it, what the stack said last. */
export function formatFailure({ name, place, errors, log, repeat }: TestFailure): string[] {
  const head = [`FAILED ${name}`, `  at ${place}`];
  const again = repeat === '' ? [] : [`  again: ${repeat}`];
  const said = log.slice(-MAX_LOG_LINES).map((line) => `    ${line}`);
  const foot = [...again, ...(said.length > 0 ? ['  the stack said last:', ...said] : [])];
  const body = errors.flatMap(describeError).map((line) => `  ${line}`);
  return [...head, ...cutMiddle(body, MAX_LINES - head.length - foot.length), ...foot].map(cutLine);
}

function describeError(error: TestError): string[] {
  const lines = toLines(`${error.name ?? 'Error'}: ${error.message}`);
  const diff = error.diff === undefined ? [] : toLines(error.diff);
  const cause = isError(error.cause) ? describeError(error.cause).map((line) => `caused by ${line}`) : [];
  return [...lines, ...diff, ...cause];
}

const isError = (value: unknown): value is TestError =>
  typeof value === 'object' && value !== null && 'message' in value;

const toLines = (text: string) =>
  stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line.trim() !== '');

function cutMiddle(lines: string[], room: number): string[] {
  if (lines.length <= room) return lines;
  const headCount = Math.ceil((room - 1) / 2);
  const tailCount = room - 1 - headCount;
  const left = lines.length - headCount - tailCount;
  return [...lines.slice(0, headCount), `  … ${left} lines left out`, ...lines.slice(lines.length - tailCount)];
}

const cutLine = (line: string) => (line.length <= MAX_WIDTH ? line : `${line.slice(0, MAX_WIDTH - 1)}…`);
