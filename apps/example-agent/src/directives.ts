/** The misbehaviour that the agent can be asked for, by a line `example: <name> [number]` in the text of a message. */
const directives = {
  slow: 'waits this many milliseconds before each piece of its answer',
  hang: 'never answers, until it is cancelled',
  deaf: 'never answers, not even when it is cancelled',
  crash: 'ends by SIGKILL in the middle of its answer',
  'crash-before-answer': 'ends by SIGKILL before it says anything',
  refuse: 'ends the turn with the stop reason refusal',
  fail: 'answers the request with a JSON-RPC error of this code (negative)',
  'emit-base64': 'puts media in base64 into its text, a content block and a tool result',
  'ask-permission': 'asks whether it may run a command and says what it was told',
  'ask-endlessly': 'asks on and on whether it may run a command, and reads no answer',
  garbage: 'writes lines that are no JSON',
  'long-line': 'writes one line with this many characters',
  'env-keys': 'names the variables of its environment',
  'spawn-orphan': 'leaves a grandchild in a session of its own and names its process id',
  'ignore-sigterm': 'does not end on SIGTERM or at the end of its input',
  'answer-twice': 'answers the request, and then once more',
  'half-frame': 'ends in the middle of a line',
  'close-input': 'closes its input and continues',
  'close-output': 'closes its output and lives on',
  'stop-reading': 'answers, and reads nothing any more after that',
  flood: 'writes this many bytes of output in pieces',
  'eat-memory': 'takes this many bytes of memory and keeps them',
} as const;

export type DirectiveName = keyof typeof directives;
export type Directives = ReadonlyMap<DirectiveName, number>;

const LINE = /^example: ([a-z0-9-]+)(?: (\d+))?\s*$/gm;

/** The directives of a text with their numbers (0 if none is given); unknown ones are left out. */
export function readDirectives(text: string): Directives {
  const found = new Map<DirectiveName, number>();
  for (const [, name = '', number = '0'] of text.matchAll(LINE)) {
    if (Object.hasOwn(directives, name)) found.set(name as DirectiveName, Number(number));
  }
  return found;
}
