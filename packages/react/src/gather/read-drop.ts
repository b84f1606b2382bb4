/** The files of a drop or a folder, and the names of those that could not be read. */
export type Gathered = { files: File[]; unreadable: string[] };

/** Files that systems keep in folders for themselves. */
const OF_SYSTEM = /^(\.DS_Store|Thumbs\.db|desktop\.ini)$/;

/** Whether people put this file into its folder, and not their system. */
export const isOfPeople = ({ name }: { name: string }): boolean => !OF_SYSTEM.test(name);

/** Reads all files of a drop, those of dropped folders included. Call it inside the event: afterwards the browser forgets the drop. */
export function readDrop({ items, files }: Pick<DataTransfer, 'items' | 'files'>): Promise<Gathered> {
  const entries = Array.from(items ?? [], (item) => (item.kind === 'file' ? item.webkitGetAsEntry?.() : null));
  const known = entries.filter((entry) => entry !== null && entry !== undefined);
  if (known.length === 0) return Promise.resolve({ files: Array.from(files), unreadable: [] });
  return readEntries(known);
}

async function readEntries(entries: readonly FileSystemEntry[]): Promise<Gathered> {
  const gathered: Gathered = { files: [], unreadable: [] };
  for (const entry of entries) {
    try {
      const found = isFolder(entry) ? await readFolder(entry) : await readFile(entry as FileSystemFileEntry);
      gathered.files.push(...found.files);
      gathered.unreadable.push(...found.unreadable);
    } catch {
      gathered.unreadable.push(entry.name);
    }
  }
  return gathered;
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

async function readFolder(folder: FileSystemDirectoryEntry): Promise<Gathered> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  // A browser returns a folder in batches; an empty one is the last.
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return readEntries(entries.filter(isOfPeople));
    entries.push(...batch);
  }
}

async function readFile(entry: FileSystemFileEntry): Promise<Gathered> {
  return { files: [await new Promise<File>((resolve, reject) => entry.file(resolve, reject))], unreadable: [] };
}
