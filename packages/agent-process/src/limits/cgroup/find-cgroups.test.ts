import { expect, it } from 'vitest';
import { findCgroups } from './find-cgroups.ts';

const v1 = [
  '35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
  '39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids',
].join('\n');
const v2 = '41 31 0:38 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate';

it('finds the cgroups of this process in the hierarchies of version 1 [BX-22]', () => {
  expect(findCgroups('8:pids:/\n4:memory,hugetlb:/a/b\n0::/', v1)).toEqual({
    ...{ version: 1, memory: '/sys/fs/cgroup/memory/a/b', pids: '/sys/fs/cgroup/pids' },
  });
  const mounted = v1.replaceAll(' / /sys', ' /docker/x /sys');
  expect(findCgroups('8:pids:/docker/x\n4:memory:/docker/x/y', mounted)).toMatchObject({
    ...{ memory: '/sys/fs/cgroup/memory/y', pids: '/sys/fs/cgroup/pids' },
  });
});

it('finds a delegated one of version 2 above the leaf that was made for the gateway, and takes no other [BX-22]', () => {
  expect(findCgroups('0::/system.slice/attache.service/attache-gateway', v2)).toEqual({
    ...{ version: 2, both: '/sys/fs/cgroup/system.slice/attache.service' },
  });
  for (const own of ['/system.slice/attache.service', '/', '/user.slice/session-1.scope'])
    expect(findCgroups(`0::${own}`, v2)).toBeUndefined();
});

it('finds none where a hierarchy is missing, or lies elsewhere', () => {
  expect(findCgroups('8:pids:/', v1)).toBeUndefined();
  expect(findCgroups('8:pids:/\n4:memory:/a', v1.split('\n')[1] ?? '')).toBeUndefined();
  expect(findCgroups('8:pids:/a\n4:memory:/a', v1.replaceAll(' / /sys', ' /docker/x /sys'))).toBeUndefined();
  expect(findCgroups('', '')).toBeUndefined();
});
