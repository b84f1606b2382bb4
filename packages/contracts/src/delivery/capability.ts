import { z } from 'zod';
import { actorSchema } from '../access/actor.ts';
import { timeSchema } from '../versions.ts';

/** Three-valued: what is not known is never allowed (DL-50). */
export const triStateSchema = z.enum(['yes', 'no', 'unknown']);
export type TriState = z.infer<typeof triStateSchema>;

export const evidenceSchema = z.object({
  source: z.enum(['static', 'catalog', 'live-probe', 'operator', 'tenant-override', 'contradicted', 'unknown']),
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
  /** Types that go as they are; everything else is converted first, or blocked. */
  mimeTypes: z.array(z.string()),
  /** `file`: the runtime is given a path instead of the bytes, so that they take no room on its line. Absent means `inline`. */
  carriage: z.enum(['inline', 'file']).optional(),
  /** Bytes of one attachment inside the message. */
  maxInlineBytes: z.int().positive().optional(),
  /** Bytes of one attachment behind a path. */
  maxFileBytes: z.int().positive().optional(),
  maxCount: z.int().positive().optional(),
  maxEdgePixels: z.int().positive().optional(),
  maxPixels: z.int().positive().optional(),
  /** Pages of all documents of a request together. */
  maxPages: z.int().positive().optional(),
  /** Whether moving images are taken as they are. Absent means unknown. */
  animated: triStateSchema.optional(),
  /** The program is known to make other bytes of what it is sent before its model gets it. Said of images alone. */
  alters: evidenceSchema.optional(),
  /** Why `transport` is what it is, and why `model` is. `contradicted`: what left for models was not what the catalog says. */
  evidence: z.object({ transport: evidenceSchema, model: evidenceSchema }).optional(),
});
export type KindCapability = z.infer<typeof kindCapabilitySchema>;

/** What a target accepts, with evidence (DL-19). Made by the catalog, read by the planner and by callers. Holds no base64 and no path; may be logged. */
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
  /** The agent can read what is granted to it by a tool of ours. Absent means no. */
  tools: triStateSchema.optional(),
  /** The agent's program reads files by their path with tools of its own, and may: a file of any kind can be handed to it. Absent means that it is not known to. */
  files: z.object({ read: triStateSchema, evidence: evidenceSchema }).optional(),
  maxLineBytes: z.int().positive().optional(),
  maxRequestBytes: z.int().positive().optional(),
  evidence: evidenceSchema,
  /** Version of the catalog that was read. */
  catalogVersion: z.string().optional(),
});
export type Capability = z.infer<typeof capabilitySchema>;

/** What an ACP agent declares in its answer to `initialize`. */
export const declaredCapabilitySchema = z.object({
  image: z.boolean(),
  audio: z.boolean(),
  embeddedContext: z.boolean(),
});
export type DeclaredCapability = z.infer<typeof declaredCapabilitySchema>;

const limitSchema = z.int().positive();

/** What a tenant says of a profile's model: only what is not known can become a yes, and limits only get tighter. */
export const capabilityOverrideSchema = z.strictObject({
  image: z.boolean().optional(),
  pdf: z.boolean().optional(),
  text: z.boolean().optional(),
  audio: z.boolean().optional(),
  video: z.boolean().optional(),
  limits: z
    .strictObject({
      maxRequestBytes: limitSchema.optional(),
      maxImages: limitSchema.optional(),
      maxPages: limitSchema.optional(),
    })
    .optional(),
});
export type CapabilityOverride = z.infer<typeof capabilityOverrideSchema>;

export const overrideRequestSchema = z.strictObject({
  capability: capabilityOverrideSchema,
  /** Why; shown as evidence. */
  reason: z.string().trim().min(1).max(1000),
});
export type OverrideRequest = z.infer<typeof overrideRequestSchema>;

/** An override as callers see it. Made by ingest, read by the planner and by callers. Holds no base64 and no path; `reason` is a person's words, so it is never logged. */
export const tenantOverrideSchema = overrideRequestSchema.extend({
  profile: z.string(),
  model: z.string(),
  author: actorSchema,
  createdAt: timeSchema,
});

/** An override as it is applied. */
export type TenantOverride = OverrideRequest;
