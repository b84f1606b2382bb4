import { z } from 'zod';

/** Three-valued: what is not known is never allowed (DL-50). */
export const triStateSchema = z.enum(['yes', 'no', 'unknown']);
export type TriState = z.infer<typeof triStateSchema>;

export const evidenceSchema = z.object({
  source: z.enum(['static', 'catalog', 'live-probe', 'operator', 'tenant-override', 'unknown']),
  /** Day on which it was seen. */
  date: z.iso.date().optional(),
  /** What was run or read. */
  note: z.string(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** Limits of one kind of attachment on one target. Absent means no limit is known. */
export const kindCapabilitySchema = z.object({
  /** The runtime carries this kind to the model. */
  transport: triStateSchema,
  /** The model understands this kind. */
  model: triStateSchema,
  mimeTypes: z.array(z.string()),
  maxInlineBytes: z.int().positive().optional(),
  maxCount: z.int().positive().optional(),
  maxEdgePixels: z.int().positive().optional(),
  maxPixels: z.int().positive().optional(),
});
export type KindCapability = z.infer<typeof kindCapabilitySchema>;

/** What a target accepts, with evidence (DL-19). */
export const capabilitySchema = z.object({
  image: kindCapabilitySchema,
  document: kindCapabilitySchema,
  text: kindCapabilitySchema,
  audio: kindCapabilitySchema,
  video: kindCapabilitySchema,
  /** Decoded text travels in a block of its own with the file's name; otherwise it goes into the prompt text under a header. */
  embeddedContext: triStateSchema,
  /** The catalog holds evidence that this runtime forwards its native forms to the model. */
  forwardsNative: z.boolean(),
  maxLineBytes: z.int().positive().optional(),
  maxRequestBytes: z.int().positive().optional(),
  evidence: evidenceSchema,
});
export type Capability = z.infer<typeof capabilitySchema>;

/** What an ACP agent declares in its answer to `initialize`. */
export const declaredCapabilitySchema = z.object({
  image: z.boolean(),
  audio: z.boolean(),
  embeddedContext: z.boolean(),
});
export type DeclaredCapability = z.infer<typeof declaredCapabilitySchema>;
