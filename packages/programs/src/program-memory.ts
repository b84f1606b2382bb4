/** Files from which a program continues a conversation in another process, and in another folder. */
export type ProgramMemory = {
  files: readonly MemoryFiles[];
  /** Paths, as those of the files, that must not be there when they come back into a folder. */
  hindrances?: readonly string[];
  /** It continues from restored files only, and not from what it left in its folder itself. */
  isOnlyRestored?: true;
};

export type MemoryFiles = {
  /**
   * Names from the agent's folder on. In a name `*` is any run of characters, `{reference}` what names the conversation and `{reference8}` its first eight
   * characters; `**` as the last name is every file below.
   */
  path: string;
  /** `lines` grow at their end by whole lines; a `database` of SQLite is copied as SQLite does; what is `whole` is stored as it is. */
  form: 'lines' | 'whole' | 'database';
  /** Without it there is no conversation. */
  isNeeded: boolean;
  /** If several files match, the largest is the conversation. It is restored under this name, with `{reference8}` as above. */
  restoredAs?: string;
};

/** A test of a name, by the pattern of one. */
export function matchName(pattern: string, reference: string): RegExp {
  const named = pattern.replaceAll('{reference}', reference).replaceAll('{reference8}', reference.slice(0, 8));
  return new RegExp(`^${named.split('*').map(RegExp.escape).join('.*')}$`);
}

/** Whether a file of a conversation may have this path, relative to the agent's folder. */
export function isMemoryPath({ files }: ProgramMemory, reference: string, path: string): boolean {
  return files.some((each) => {
    const patterns = each.path.split('/');
    const names = path.split('/');
    if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0'))) return false;
    const takesAll = patterns.at(-1) === '**';
    if (takesAll ? names.length < patterns.length : names.length !== patterns.length) return false;
    const last = each.restoredAs ?? patterns.at(-1) ?? '';
    return patterns.every((pattern, index) => {
      if (index < patterns.length - 1) return matchName(pattern, reference).test(names[index] ?? '');
      return takesAll || matchName(last, reference).test(names[index] ?? '');
    });
  });
}
