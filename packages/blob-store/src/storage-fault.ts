import { Fault } from '@attache/contracts';

const explanations: Record<string, string> = {
  ENOSPC: 'its disk is full: free space',
  EDQUOT: 'its disk quota is used up: free space or raise the quota',
  EROFS: 'its file system is read-only: mount it writable',
  EACCES: 'this process may not write to its folder: give it the rights',
  EPERM: 'its file system refuses the operation (files must be owned by this user, and hard links be supported)',
  ENOENT: 'its folder is gone: restore it',
  ENOTDIR: 'a file stands where its folder should be: remove it',
  ELOOP: 'a symbolic link stands where its folder should be: remove it',
  EIO: 'its disk reports an error: check the disk',
  EMFILE: 'this process has too many open files: raise its limit',
  ENFILE: 'the machine has too many open files',
};

/** Translates a failed call of the file system for the caller. Faults pass unchanged. */
export function toStorageFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const code = errorCodeOf(error) ?? 'unknown error';
  const explanation = explanations[code] ?? 'see the cause in the log';
  return new Fault('STORAGE_UNAVAILABLE', `The blob store cannot be used (${code}); ${explanation}.`, {
    retryable: true,
    cause: error,
  });
}

/** Code of a failed system call, such as `ENOENT`. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
