import { expect, it } from 'vitest';
import { readSettings } from '../read-settings.ts';
import { agentUserSettings, readAgentUsers } from './agent-user-settings.ts';
import { type MachineUsers, parseUserRange, refuseUserRange } from './user-range.ts';

const machine: MachineUsers = {
  passwd: 'root:x:0:0:root:/root:/bin/sh\nana:x:1000:1000::/home/ana:/bin/sh\n',
  group: 'root:x:0:\nstaff:x:5000:\n',
  subuid: 'ana:100000:65536\nroot:300000:65536\n',
  capabilities: '000001ffffffffff',
};
const range = { first: 200_000, last: 265_535 };

it('reads the first and the last number of the users of agents [BX-22]', () => {
  expect(parseUserRange('200000-265535')).toEqual(range);
  expect(parseUserRange('4000-4000')).toEqual({ first: 4_000, last: 4_000 });
  for (const text of ['', '200000', '0-9', '999-2000', '5000-4000', '200000-4294967295', '2e5-3e5', ' 200000-265535'])
    expect([text, parseUserRange(text)]).toEqual([text, undefined]);
});

it('takes numbers that nobody has, and those that are set aside for root [BX-22]', () => {
  expect(refuseUserRange(range, machine)).toBeUndefined();
  expect(refuseUserRange({ first: 300_000, last: 300_010 }, machine)).toBeUndefined();
});

it.each([
  ['of another user', { first: 900, last: 2_000 }, {}, /^holds 1000, which is ana /],
  ['of a group', { first: 4_999, last: 5_001 }, {}, /^holds 5000, which is staff /],
  ['that a user may use in namespaces', { first: 165_535, last: 165_540 }, {}, /\/etc\/subuid gives to ana/],
  ['of a gateway without rights', range, { capabilities: '0' }, /runs as root, with the capabilities CHOWN, .*SETUID/],
  ['of a gateway that may not change users', range, { capabilities: '3f' }, /capabilities SETGID, SETUID:/],
  ['of a system without capabilities', range, { capabilities: undefined }, /runs as root/],
])('refuses numbers %s, and says what to write [BX-22]', (_whose, given, changed, said) => {
  expect(refuseUserRange(given, { ...machine, ...changed })).toMatch(said);
});

it('is a setting, which says what to write [BX-22]', () => {
  const read = (text: string) => readSettings(agentUserSettings, { ATTACHE_AGENT_UIDS: text });
  expect(readAgentUsers(read('200000-265535'), () => machine)).toEqual(range);
  expect(readAgentUsers({}, () => machine)).toBeUndefined();
  expect(() => read('200000:65536')).toThrow(/ATTACHE_AGENT_UIDS must look like `200000-265535`/);
  const refused = () => readAgentUsers(read('1000-2000'), () => machine);
  expect(refused).toThrow(expect.objectContaining({ code: 'CONFIGURATION_INVALID' }));
  expect(refused).toThrow(/^ATTACHE_AGENT_UIDS holds 1000, which is ana .*: choose numbers that nobody has\.$/);
});
