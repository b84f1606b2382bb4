import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import { actorSchema } from '../access/actor.ts';
import { apiSchemas } from '../api-schemas.ts';
import { timeSchema } from '../versions.ts';

/** Three-valued (DL-50). */
export const triStateSchema = z
  .enum(['yes', 'no', 'unknown'])
  .register(apiSchemas, { id: 'TriState', description: 'What is `unknown` is not allowed.' });
export type TriState = z.infer<typeof triStateSchema>;

export const evidenceSchema = z
  .object({
    source: z
      .enum(['static', 'catalog', 'live-probe', 'operator', 'tenant-override', 'contradicted', 'unknown'])
      .describe('Where it is known from.'),
    date: z.iso.date().optional().describe('Day on which it was seen.'),
    note: z.string().describe('What was run or read.'),
  })
  .register(apiSchemas, { id: 'Evidence', description: 'Why something is held to be so.' });
export type Evidence = z.infer<typeof evidenceSchema>;

export const kindCapabilitySchema = z
  .object({
    transport: triStateSchema.describe('Whether the runtime carries it to the model.'),
    model: triStateSchema.describe('Whether the model understands it.'),
    mimeTypes: z
      .array(z.string())
      .describe('Types that go as they are. Everything else is converted first, or blocked.'),
    /** Behind a path the bytes take no room on the runtime's line. */
    carriage: z
      .enum(['inline', 'file'])
      .optional()
      .describe('`file`: the program is given a path instead of the bytes. Absent means `inline`.'),
    maxInlineBytes: z.int().positive().optional().describe('Bytes of one file inside the message.'),
    maxFileBytes: z.int().positive().optional().describe('Bytes of one file behind a path.'),
    maxCount: z.int().positive().optional().describe('How many in one message.'),
    maxEdgePixels: z.int().positive().optional(),
    maxPixels: z.int().positive().optional().describe('Pixels of one image.'),
    maxPages: z.int().positive().optional(),
    /** Absent means unknown. */
    animated: triStateSchema.optional().describe('Whether it takes moving images.'),
    /** Only images have it. */
    alters: evidenceSchema
      .optional()
      .describe('Evidence that the program makes other bytes of what it is sent before its model gets it.'),
    /** `contradicted`: what left for models was not what the catalog says. */
    evidence: z
      .object({
        transport: evidenceSchema.describe('Why `transport` is what it is.'),
        model: evidenceSchema.describe('Why `model` is what it is.'),
      })
      .optional(),
  })
  .register(apiSchemas, {
    id: 'KindCapability',
    description: 'What a target accepts of one kind of file. An absent limit is not known.',
  });
export type KindCapability = z.infer<typeof kindCapabilitySchema>;

/** The abilities and limits of a target (DL-19). Made by the catalog, read by the planner and by callers. Holds no base64 and no path; may be logged. */
export const capabilitySchema = z
  .object({
    image: kindCapabilitySchema.describe('Pictures.'),
    document: kindCapabilitySchema.describe('Documents.'),
    text: kindCapabilitySchema.describe('Texts.'),
    audio: kindCapabilitySchema.describe('Sound.'),
    video: kindCapabilitySchema.describe('Video.'),
    /** Without such a block, a text goes into the prompt under a header. */
    embeddedContext: triStateSchema.describe(
      'Whether decoded text travels in a block of its own, with the name of the file.',
    ),
    forwardsNative: z
      .boolean()
      .describe('Whether there is evidence that the runtime forwards its native forms to the model.'),
    tools: triStateSchema
      .optional()
      .describe('Whether the agent can read what is granted to it by a tool of ours. Absent means no.'),
    /**
     * The agent's program reads files by their path with tools of its own, and may: a file of any kind can be handed to it. Absent means that it is not
     * known to.
     */
    files: z
      .object({ read: triStateSchema.describe('Whether it may.'), evidence: evidenceSchema })
      .optional()
      .describe('Whether the agent’s program reads files by their path.'),
    maxLineBytes: z.int().positive().optional().describe('Bytes of one line of the agent’s protocol.'),
    maxRequestBytes: z.int().positive().optional(),
    evidence: evidenceSchema,
    catalogVersion: z.string().optional().describe('Version of the catalog that was read.'),
  })
  .register(apiSchemas, {
    id: 'Capability',
    description: 'What a target accepts, with evidence.',
    examples: [dto['dto.capability']],
  });
export type Capability = z.infer<typeof capabilitySchema>;

/** The capabilities that an ACP agent declares in its answer to `initialize`. */
export const declaredCapabilitySchema = z.object({
  image: z.boolean(),
  audio: z.boolean(),
  embeddedContext: z.boolean(),
});
export type DeclaredCapability = z.infer<typeof declaredCapabilitySchema>;

const limitSchema = z.int().positive();

export const capabilityOverrideSchema = z
  .strictObject({
    image: z.boolean().optional().describe('Pictures.'),
    pdf: z.boolean().optional().describe('PDF documents.'),
    text: z.boolean().optional().describe('Texts.'),
    audio: z.boolean().optional().describe('Sound.'),
    video: z.boolean().optional().describe('Video.'),
    limits: z
      .strictObject({
        maxRequestBytes: limitSchema.optional(),
        maxImages: limitSchema.optional().describe('How many images in one message.'),
        maxPages: limitSchema.optional(),
      })
      .optional()
      .describe('Limits that are tighter than those of the catalog.'),
  })
  .register(apiSchemas, {
    id: 'CapabilityOverride',
    description: 'What the tenant says of a model: only what is unknown can become a yes, and limits get tighter.',
  });
export type CapabilityOverride = z.infer<typeof capabilityOverrideSchema>;

export const overrideRequestSchema = z
  .strictObject({
    capability: capabilityOverrideSchema.describe('What the model takes.'),
    /** It is shown as evidence. */
    reason: z.string().trim().min(1).max(1000),
  })
  .register(apiSchemas, {
    id: 'OverrideRequest',
    description: 'An override, with its reason.',
    examples: [{ capability: { pdf: true, limits: { maxPages: 20 } }, reason: 'Tried with ten files.' }],
  });
export type OverrideRequest = z.infer<typeof overrideRequestSchema>;

/** Made by ingest, read by the planner and by callers. Holds no base64 and no path; `reason` is a person's words, so it is never logged. */
export const tenantOverrideSchema = overrideRequestSchema
  .extend({
    profile: z.string(),
    model: z.string(),
    author: actorSchema.describe('Who said so.'),
    createdAt: timeSchema,
  })
  .register(apiSchemas, { id: 'TenantOverride', description: 'An override of the tenant.' });

/** An override as it is applied. */
export type TenantOverride = OverrideRequest;
