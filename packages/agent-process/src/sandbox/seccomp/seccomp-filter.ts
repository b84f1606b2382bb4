import { assemble, type Step } from './assemble.ts';
import { type Architecture, allowedFamilies, deniedCalls, socketCalls } from './denied-calls.ts';

// Offsets in struct seccomp_data.
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const FIRST_ARGUMENT_OFFSET = 16;

const architectureMarks = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
// Numbers from here on are those of the x32 ABI, which gives every call a second number.
const FIRST_X32_NUMBER = 0x40000000;

const EPERM = 1;
const EAFNOSUPPORT = 97;

/** The return values of a filter. */
export const verdicts = {
  allow: 0x7fff0000,
  kill: 0x80000000,
  notPermitted: 0x00050000 + EPERM,
  noFamily: 0x00050000 + EAFNOSUPPORT,
} as const;

/** The filter of each sandboxed agent, as `bwrap --seccomp` takes it. What its table does not name is allowed. */
export function seccompFilter(architecture: Architecture): Buffer {
  return assemble(listSteps(architecture));
}

function listSteps(architecture: Architecture): Step[] {
  const numbersOf = (calls: Readonly<Record<string, Readonly<Record<Architecture, number>>>>) =>
    Object.values(calls)
      .map((numbers) => numbers[architecture])
      .filter((number) => number >= 0);
  const jumps = (numbers: readonly number[], to: string): Step[] =>
    numbers.map((value) => ({ do: 'if-equal', value, to }));
  return [
    { do: 'load', offset: ARCHITECTURE_OFFSET },
    ...jumps([architectureMarks[architecture]], 'own-architecture'),
    { do: 'return', value: verdicts.kill },
    { do: 'label', name: 'own-architecture' },
    { do: 'load', offset: NUMBER_OFFSET },
    ...(architecture === 'x64' ? refuseX32 : []),
    ...jumps(numbersOf(socketCalls), 'socket'),
    ...jumps(numbersOf(deniedCalls), 'denied'),
    { do: 'return', value: verdicts.allow },
    { do: 'label', name: 'denied' },
    { do: 'return', value: verdicts.notPermitted },
    { do: 'label', name: 'killed' },
    { do: 'return', value: verdicts.kill },
    { do: 'label', name: 'socket' },
    { do: 'load', offset: FIRST_ARGUMENT_OFFSET },
    ...jumps(Object.values(allowedFamilies), 'family'),
    { do: 'return', value: verdicts.noFamily },
    { do: 'label', name: 'family' },
    { do: 'return', value: verdicts.allow },
  ];
}

const refuseX32: readonly Step[] = [{ do: 'if-at-least', value: FIRST_X32_NUMBER, to: 'killed' }];
