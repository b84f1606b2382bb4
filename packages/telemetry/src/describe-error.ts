/** The logged description of an error: its class, its code and where it was thrown. */
export type DescribedError = {
  type: string;
  code?: string;
  /** Only for faults, whose messages are ours. Any other message may hold content that was read, requested or stored. */
  message?: string;
  stack?: string[];
  cause?: DescribedError;
};

const MAX_FRAMES = 12;
const MAX_CAUSES = 4;
const WORD = /^[\w.:-]{1,80}$/;

// The message comes first in a stack and may itself look like frames.
function framesOf({ stack = '', message }: Error): string[] {
  const at = message === '' ? -1 : stack.indexOf(message);
  const frames = (at < 0 ? stack : stack.slice(at + message.length)).split('\n').slice(1);
  return frames
    .filter((line) => /^\s+at /.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim());
}

/** Describes an error for a log line. `redact` is applied to everything that is no code. */
export function describeError(error: Error, redact: (text: string) => string, depth = 0): DescribedError {
  const { code } = error as { code?: unknown };
  const cause = error.cause instanceof Error && depth < MAX_CAUSES ? error.cause : undefined;
  return {
    type: WORD.test(error.name) ? error.name : 'Error',
    ...(typeof code === 'string' && WORD.test(code) ? { code } : {}),
    ...(error.name === 'Fault' ? { message: redact(error.message) } : {}),
    stack: framesOf(error).map(redact),
    ...(cause ? { cause: describeError(cause, redact, depth + 1) } : {}),
  };
}
