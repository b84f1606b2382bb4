import { describe, expect, it } from 'vitest';
import { runFilter } from '../__fixtures__/run-filter.ts';
import { assemble } from './assemble.ts';
import { deniedCalls, socketCalls } from './denied-calls.ts';
import { seccompFilter, verdicts } from './seccomp-filter.ts';

const X64 = 0xc000003e;
const ARM64 = 0xc00000b7;
const I386 = 0x40000003;

describe.each([
  { name: 'x64', own: X64, foreign: [ARM64, I386] },
  { name: 'arm64', own: ARM64, foreign: [X64, 0x40000028] },
] as const)('the filter on $name', ({ name, own, foreign }) => {
  const filter = seccompFilter(name);
  const judge = (number: number, firstArgument = 0) => runFilter(filter, { number, architecture: own, firstArgument });

  it('refuses each call of its table, and no other [BX-22]', () => {
    const denied = Object.values(deniedCalls)
      .map((numbers) => numbers[name])
      .filter((number) => number >= 0);
    const sockets = Object.values(socketCalls).map((numbers) => numbers[name]);
    const answers = Array.from({ length: 600 }, (_, number) => number).filter(
      (number) => !sockets.some((socket) => socket === number) && judge(number) !== verdicts.allow,
    );
    expect(answers).toEqual([...denied].sort((a, b) => a - b));
    expect(answers.map((number) => judge(number))).toEqual(answers.map(() => verdicts.notPermitted));
  });

  it('lets sockets of four families pass and no others, AF_VSOCK, AF_ALG and AF_PACKET among them [BX-22]', () => {
    const open = (family: number) =>
      Object.values(socketCalls).map((numbers) => judge(numbers[name], family) === verdicts.allow);
    const families = Array.from({ length: 64 }, (_, family) => family);
    expect(families.filter((family) => open(family).every(Boolean))).toEqual([1, 2, 10, 16]);
    expect(families.filter((family) => open(family).some(Boolean))).toEqual([1, 2, 10, 16]);
    for (const family of [17, 38, 40]) expect(judge(socketCalls.socket[name], family)).toBe(verdicts.noFamily);
  });

  it('kills what calls in the numbers of another architecture [BX-22]', () => {
    for (const architecture of foreign) {
      for (const number of [0, 1, 41, 198]) expect(runFilter(filter, { number, architecture })).toBe(verdicts.kill);
    }
  });
});

it('kills what calls by the x32 numbers, by which a filter may be passed [BX-22]', () => {
  const x32 = (number: number) => runFilter(seccompFilter('x64'), { number: 0x40000000 + number, architecture: X64 });
  for (const number of [0, deniedCalls.keyctl.x64, socketCalls.socket.x64]) expect(x32(number)).toBe(verdicts.kill);
  expect(runFilter(seccompFilter('x64'), { number: 0x3fffffff, architecture: X64 })).toBe(verdicts.allow);
});

it('assembles no jump that would go astray', () => {
  expect(() => assemble([{ do: 'if-equal', value: 1, to: 'nowhere' }])).toThrow('nowhere');
});
