import { z } from 'zod';
import { attachmentKindSchema } from '../delivery/attachment.ts';
import { runtimeSchema } from '../session/target.ts';

const carriedKindSchema = attachmentKindSchema.exclude(['unsupported']);

/** The row of the catalog that is meant: as a profile's runtime, program and provider find it. */
export const rowInput = {
  runtime: runtimeSchema,
  program: z.string().min(1).max(100).optional(),
  provider: z.string().min(1).max(100).optional(),
  kind: carriedKindSchema,
};

/** As the program says it, or as it is installed; empty where that is not known. */
export const programVersionSchema = z
  .string()
  .regex(/^[!-~]{0,64}$/, 'must be at most 64 printable characters without spaces');

/**
 * An observation, or a statement of the operator, against a row of the catalog. Holds no base64 and no path; `note` may be a person's words, so it is never
 * logged.
 */
export const contradictionSchema = z.object({
  /** Name of the row. */
  row: z.string(),
  kind: carriedKindSchema,
  /** The version of the program on which it was seen; another version ends it. Empty if not known. */
  programVersion: z.string(),
  /** Digest of the settings of the profiles for which it holds; absent if it holds for all. */
  settingsSha256: z.string().optional(),
  note: z.string(),
  date: z.iso.date(),
  /** False: for one tenant. */
  isForAll: z.boolean(),
});
export type Contradiction = z.infer<typeof contradictionSchema>;
