/** A stretch of a pack's bytes, as they were before they were packed; `pack` counts the checkpoint's packs from 0. */
export type Extent = { pack: number; offset: number; sizeBytes: number };

/** A file of a checkpoint: what its stretches hold, one behind the other. `path` is relative to the agent's folder. */
export type KeptFile = {
  path: string;
  sizeBytes: number;
  sha256: string;
  extents: Extent[];
  /** Only for a database: the digests of its blocks, all of the same length, concatenated. */
  blocks?: string;
};

/** The files of a checkpoint, and uuids of the blobs that hold their bytes. */
export type KeptFiles = { packs: string[]; files: KeptFile[] };
