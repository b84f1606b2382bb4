export type Architecture = 'x64' | 'arm64';

/** The differences between the machines, as hosts and as emulated ones. */
export type Machine = {
  architecture: Architecture;
  /** Its name in Debian. */
  debian: 'amd64' | 'arm64';
  /** Folder of its libraries, below `/lib` and `/usr/lib`. */
  libraries: string;
  /** The loader of its programs, in that folder of `/lib`. */
  loader: string;
  emulator: { program: string; package: string; hardware: readonly string[] };
  console: string;
};

export const machines: Readonly<Record<Architecture, Machine>> = {
  x64: {
    ...{ architecture: 'x64', debian: 'amd64', libraries: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
    emulator: { program: 'qemu-system-x86_64', package: 'qemu-system-x86', hardware: ['-M', 'q35', '-cpu', 'max'] },
    console: 'ttyS0',
  },
  arm64: {
    ...{ architecture: 'arm64', debian: 'arm64', libraries: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
    emulator: {
      ...{ program: 'qemu-system-aarch64', package: 'qemu-system-arm' },
      // The other way to sign pointers takes most of an emulator's time.
      hardware: ['-M', 'virt', '-cpu', 'max,pauth-impdef=on'],
    },
    console: 'ttyAMA0',
  },
};

/** The machine that this runs on. */
export const hostMachine = (): Machine => machines[process.arch === 'arm64' ? 'arm64' : 'x64'];
