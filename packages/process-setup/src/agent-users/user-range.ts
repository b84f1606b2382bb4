/** Users, by number, that agents may get. Each is a group too. */
export type UserRange = { first: number; last: number };

/** The machine's facts about its users, and about this process. */
export type MachineUsers = {
  /** Contents of `/etc/passwd`, `/etc/group` and `/etc/subuid`; empty where there is none. */
  passwd: string;
  group: string;
  subuid: string;
  /** `CapEff` of this process, undefined where the system has no capabilities. */
  capabilities: string | undefined;
};

// Lower numbers are the system's own users; the kernel takes numbers up to 2^32 - 2, and not every program those beyond 2^31.
const LOWEST = 1_000;
const HIGHEST = 2_147_483_646;

const neededCapabilities = { CHOWN: 0, DAC_OVERRIDE: 1, FOWNER: 3, KILL: 5, SETGID: 6, SETUID: 7 } as const;

/** Reads `200000-265535`. */
export function parseUserRange(text: string): UserRange | undefined {
  const [, first, last] = /^(\d{4,10})-(\d{4,10})$/.exec(text) ?? [];
  const range = { first: Number(first), last: Number(last) };
  return range.first >= LOWEST && range.last <= HIGHEST && range.first <= range.last ? range : undefined;
}

/** Why a gateway may not give these users to agents, as the end of a sentence that begins with the setting's name. */
export function refuseUserRange(range: UserRange, machine: MachineUsers): string | undefined {
  const lacking = findLacking(machine.capabilities);
  if (lacking.length > 0)
    return `needs a gateway that runs as root, with the capabilities ${lacking.join(', ')}: start it so, or leave the setting out`;
  const named = findNamed(machine.passwd, range) ?? findNamed(machine.group, range);
  if (named !== undefined)
    return `holds ${named.id}, which is ${named.name} on this machine: choose numbers that nobody has`;
  const delegated = findDelegated(machine.subuid, range);
  if (delegated === undefined) return undefined;
  return `overlaps the numbers that /etc/subuid gives to ${delegated}: that user could end and trace agents, so choose others`;
}

function findLacking(capabilities: string | undefined): string[] {
  const held = BigInt(`0x${capabilities ?? '0'}`);
  return Object.entries(neededCapabilities)
    .filter(([, bit]) => (held & (1n << BigInt(bit))) === 0n)
    .map(([name]) => name);
}

const holds = ({ first, last }: UserRange, id: number): boolean => id >= first && id <= last;

/** The first line of `/etc/passwd` or `/etc/group` whose number is in the range. */
function findNamed(lines: string, range: UserRange): { name: string; id: number } | undefined {
  for (const line of lines.split('\n')) {
    const [name = '', , id = ''] = line.split(':');
    if (/^\d+$/.test(id) && holds(range, Number(id))) return { name, id: Number(id) };
  }
  return undefined;
}

/** Finds another user who may use numbers of the range in user namespaces. Numbers of root are reserved for root's own programs. */
function findDelegated(subuid: string, range: UserRange): string | undefined {
  for (const line of subuid.split('\n')) {
    const [name = '', start = '', count = ''] = line.split(':');
    if (!/^\d+$/.test(start) || !/^\d+$/.test(count) || name === 'root' || name === '0') continue;
    const [first, last] = [Number(start), Number(start) + Number(count) - 1];
    if (first <= range.last && last >= range.first) return name;
  }
  return undefined;
}
