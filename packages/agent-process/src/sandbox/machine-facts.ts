import { readFile } from 'node:fs/promises';
import type { MachineFacts } from './find-bubblewrap.ts';

/** Reads what this machine, and whatever contains this process, allows. */
export async function readMachineFacts(): Promise<MachineFacts> {
  const status = await readSetting('/proc/self/status');
  return {
    maxUserNamespaces: await readSetting('/proc/sys/user/max_user_namespaces'),
    unprivilegedClone: await readSetting('/proc/sys/kernel/unprivileged_userns_clone'),
    apparmorRestricts: await readSetting('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
    seccompMode: /^Seccomp:\s*(\d)/m.exec(status ?? '')?.[1],
  };
}

const readSetting = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').then(
    (content) => content.trim(),
    () => undefined,
  );
