/** One step of a filter: classic BPF over `struct seccomp_data`, with jumps to labels. */
export type Step =
  | { do: 'load'; offset: number }
  /** Goes to `to` where the loaded word equals `value`, else on to the next step. */
  | { do: 'if-equal'; value: number; to: string }
  | { do: 'if-at-least'; value: number; to: string }
  | { do: 'return'; value: number }
  | { do: 'label'; name: string };

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;
const INSTRUCTION_BYTES = 8;
const FARTHEST_JUMP = 255;

/** The steps as an array of `struct sock_filter`, in the byte order of both processors. */
export function assemble(steps: readonly Step[]): Buffer {
  const places = placeLabels(steps);
  const instructions = steps.filter((step) => step.do !== 'label');
  const bytes = Buffer.alloc(instructions.length * INSTRUCTION_BYTES);
  for (const [index, step] of instructions.entries()) writeInstruction(bytes, index, step, places);
  return bytes;
}

function placeLabels(steps: readonly Step[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  let place = 0;
  for (const step of steps) {
    if (step.do === 'label') places.set(step.name, place);
    else place += 1;
  }
  return places;
}

function writeInstruction(
  bytes: Buffer,
  index: number,
  step: Exclude<Step, { do: 'label' }>,
  places: ReadonlyMap<string, number>,
): void {
  const [code, operand] = encode(step);
  const start = index * INSTRUCTION_BYTES;
  bytes.writeUInt16LE(code, start);
  bytes.writeUInt8('to' in step ? measureJump(index, step.to, places) : 0, start + 2);
  bytes.writeUInt32LE(operand, start + 4);
}

function encode(step: Exclude<Step, { do: 'label' }>): [code: number, operand: number] {
  switch (step.do) {
    case 'load':
      return [LOAD_WORD, step.offset];
    case 'if-equal':
      return [JUMP_EQUAL, step.value];
    case 'if-at-least':
      return [JUMP_AT_LEAST, step.value];
    case 'return':
      return [RETURN, step.value];
    default:
      return step satisfies never;
  }
}

function measureJump(from: number, label: string, places: ReadonlyMap<string, number>): number {
  const distance = (places.get(label) ?? -1) - from - 1;
  if (distance >= 0 && distance <= FARTHEST_JUMP) return distance;
  throw new RangeError(`A filter jumps forward by at most ${FARTHEST_JUMP} instructions; ${label} lies elsewhere.`);
}
