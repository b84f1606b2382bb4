import { expect, it } from 'vitest';
import { composeBubblewrap, type SandboxPlan } from './compose-bubblewrap.ts';

const plan: SandboxPlan = {
  host: {
    links: [{ place: '/bin', target: 'usr/bin' }],
    shown: ['/usr', '/etc/ssl/certs'],
    coveredProc: [
      { place: '/proc/sys', by: 'itself' },
      { place: '/proc/keys', by: 'nothing' },
    ],
  },
  etcFolder: '/product/etc',
  trees: ['/tmp/tools/b', '/tmp/tools'],
  covered: ['/tmp/tools/data'],
  files: [{ source: '/opt/node/bin/node', place: '/home/o/bin/node' }],
  folder: '/data/agents/agt',
  readOnlyParts: ['files'],
  agentSocket: '/run/user/0/a/agt.sock',
  relaySocket: '/run/user/0/a/agt.relay',
  egressSocket: '/run/user/0/a/agt.out',
  box: '/product/box',
  graceMs: 3000,
  limits: { processes: 64 },
  descriptors: { seccomp: 4, status: 5, exit: 6 },
  program: '/tmp/tools/program',
  args: ['--', '-x'],
};

const argv = composeBubblewrap(plan);
const placeOf = (...words: string[]) =>
  argv.findIndex((_, index) => words.every((word, offset) => argv[index + offset] === word));

it('always isolates all that bubblewrap can, and gives no way back [BX-22]', () => {
  for (const flag of ['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session'])
    expect(argv).toContain(flag);
  expect(placeOf('--cap-drop', 'ALL')).toBeGreaterThan(-1);
  expect(argv).not.toContain('--share-net');
});

it('mounts what is covered by another mount after that, and closes the root last [BX-22]', () => {
  const order = [
    placeOf('--tmpfs', '/'),
    placeOf('--ro-bind', '/usr', '/usr'),
    placeOf('--proc', '/proc'),
    placeOf('--ro-bind', '/proc/sys', '/proc/sys'),
    placeOf('--ro-bind', '/dev/null', '/proc/keys'),
    placeOf('--dev', '/dev'),
    placeOf('--tmpfs', '/dev/shm'),
    placeOf('--remount-ro', '/dev'),
    placeOf('--tmpfs', '/tmp'),
    placeOf('--ro-bind', '/tmp/tools', '/tmp/tools'),
    placeOf('--ro-bind', '/tmp/tools/b', '/tmp/tools/b'),
    placeOf('--tmpfs', '/tmp/tools/data', '--remount-ro', '/tmp/tools/data'),
    placeOf('--bind', '/data/agents/agt', '/agent'),
    placeOf('--ro-bind', '/data/agents/agt/files', '/agent/files'),
    placeOf('--remount-ro', '/'),
    placeOf('--', '/run/attache/box'),
  ];
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(order).not.toContain(-1);
});

it('sizes every tmpfs [BX-22]', () => {
  const unsized = argv.flatMap((word, index) => (word === '--tmpfs' && argv[index - 2] !== '--size' ? [index] : []));
  expect(unsized).toEqual([]);
});

it('lets the agent write its own folder and nothing else', () => {
  expect(argv.filter((word) => /^--(dev-)?bind(-try)?$/.test(word))).toEqual(['--bind']);
});

it('starts the program behind the first process, whose words end before the program’s', () => {
  expect(argv.slice(placeOf('--', '/run/attache/box'))).toEqual([
    ...['--', '/run/attache/box', '--status-fd', '6', '--grace-ms', '3000', '--limit-processes', '64'],
    ...['--forward', '8087=/run/attache/relay.sock', '--forward', '8088=/run/attache/egress.sock'],
    ...['--', '/tmp/tools/program', '--', '-x'],
  ]);
});

it('has no way out where none is given', () => {
  const alone = composeBubblewrap({ ...plan, relaySocket: undefined, egressSocket: undefined, agentSocket: undefined });
  expect(alone.join(' ')).not.toMatch(/relay|egress|agent\.sock|--forward/);
});
