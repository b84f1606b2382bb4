/** Processors that the sandbox knows. */
export type Architecture = 'x64' | 'arm64';

/** Numbers of system calls; -1 where the processor has no such call. */
type CallNumbers = Readonly<Record<Architecture, number>>;

/** Calls that create a socket, of a family that is their first argument. */
export const socketCalls = {
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
} as const satisfies Readonly<Record<string, CallNumbers>>;

/** `AF_UNIX`, `AF_INET`, `AF_NETLINK`, `AF_INET6`: all others reach what no network namespace confines, or the kernel's rarer code. */
export const allowedFamilies = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;

/** Calls that no agent needs, and that reach the kernel past its checks of files and sockets, or change what its processes see. */
export const deniedCalls = {
  acct: { x64: 163, arm64: 89 },
  add_key: { x64: 248, arm64: 217 },
  bpf: { x64: 321, arm64: 280 },
  chroot: { x64: 161, arm64: 51 },
  clock_adjtime: { x64: 305, arm64: 266 },
  clock_settime: { x64: 227, arm64: 112 },
  create_module: { x64: 174, arm64: -1 },
  delete_module: { x64: 176, arm64: 106 },
  fanotify_init: { x64: 300, arm64: 262 },
  finit_module: { x64: 313, arm64: 273 },
  fsconfig: { x64: 431, arm64: 431 },
  fsmount: { x64: 432, arm64: 432 },
  fsopen: { x64: 430, arm64: 430 },
  fspick: { x64: 433, arm64: 433 },
  get_kernel_syms: { x64: 177, arm64: -1 },
  init_module: { x64: 175, arm64: 105 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  io_uring_setup: { x64: 425, arm64: 425 },
  ioperm: { x64: 173, arm64: -1 },
  iopl: { x64: 172, arm64: -1 },
  kcmp: { x64: 312, arm64: 272 },
  kexec_file_load: { x64: 320, arm64: 294 },
  kexec_load: { x64: 246, arm64: 104 },
  keyctl: { x64: 250, arm64: 219 },
  mount: { x64: 165, arm64: 40 },
  mount_setattr: { x64: 442, arm64: 442 },
  move_mount: { x64: 429, arm64: 429 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  open_tree: { x64: 428, arm64: 428 },
  open_tree_attr: { x64: 467, arm64: 467 },
  perf_event_open: { x64: 298, arm64: 241 },
  pivot_root: { x64: 155, arm64: 41 },
  query_module: { x64: 178, arm64: -1 },
  quotactl: { x64: 179, arm64: 60 },
  quotactl_fd: { x64: 443, arm64: 443 },
  reboot: { x64: 169, arm64: 142 },
  request_key: { x64: 249, arm64: 218 },
  setns: { x64: 308, arm64: 268 },
  settimeofday: { x64: 164, arm64: 170 },
  swapoff: { x64: 168, arm64: 225 },
  swapon: { x64: 167, arm64: 224 },
  syslog: { x64: 103, arm64: 116 },
  umount2: { x64: 166, arm64: 39 },
  userfaultfd: { x64: 323, arm64: 282 },
  vhangup: { x64: 153, arm64: 58 },
} as const satisfies Readonly<Record<string, CallNumbers>>;
