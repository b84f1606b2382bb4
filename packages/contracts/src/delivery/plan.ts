import { z } from 'zod';
import { idSchema } from '../ids.ts';
import { cropSchema } from './attachment.ts';
import { triStateSchema } from './capability.ts';
import { failureSchema, warningSchema } from './failure.ts';

const imageTypeSchema = z.enum(['image/png', 'image/jpeg']);

const inlineImageSchema = z.object({
  purpose: z.literal('inline-image'),
  mimeType: imageTypeSchema,
  /** Longest side after the resize; never larger than the source. */
  maxEdgePixels: z.int().positive(),
  /** What the encoded variant may hold; quality, then size, is lowered to fit (floors in media). */
  maxBytes: z.int().positive(),
});

const otherRecipeSchemas = [
  z.object({ purpose: z.literal('decoded-text'), encoding: z.string(), maxBytes: z.int().positive() }),
  z.object({ purpose: z.literal('preview'), maxEdgePixels: z.int().positive() }),
  /** One page of a document as an image. */
  z.object({
    purpose: z.literal('page-image'),
    /** From 1. */
    page: z.int().positive(),
    mimeType: imageTypeSchema,
    maxEdgePixels: z.int().positive(),
    maxBytes: z.int().positive(),
  }),
  /** The text of a document, each page under a line with its number. */
  z.object({ purpose: z.literal('document-text'), maxBytes: z.int().positive() }),
] as const;

/** How one variant is to be made. Deterministic: the same recipe on the same bytes gives the same variant id (DL-45). */
export const recipeSchema = z.discriminatedUnion('purpose', [
  /** A crop is of the source as it is shown, before the resize. */
  inlineImageSchema.extend({ crop: cropSchema.optional() }),
  ...otherRecipeSchemas,
]);
export type Recipe = z.infer<typeof recipeSchema>;

/** All pages of a document as images: one `page-image` each, all alike. */
export const pagesRecipeSchema = z.object({
  purpose: z.literal('page-images'),
  pages: z.int().positive(),
  mimeType: imageTypeSchema,
  maxEdgePixels: z.int().positive(),
  /** What each page may hold. */
  maxBytes: z.int().positive(),
});
export type PagesRecipe = z.infer<typeof pagesRecipeSchema>;

/** How the form of a plan item is made. A plan sends no part of an image. */
export const planRecipeSchema = z.discriminatedUnion('purpose', [
  inlineImageSchema,
  ...otherRecipeSchemas,
  pagesRecipeSchema,
]);
export type PlanRecipe = z.infer<typeof planRecipeSchema>;

/** What an attachment of a message becomes for one target. `variant` = one derived file of the same kind. */
export const planFormSchema = z.enum(['native', 'variant', 'pages', 'text', 'descriptor', 'tool', 'blocked']);
export type PlanForm = z.infer<typeof planFormSchema>;

/** The gates in their order (DL-63). Separate truths stay separate (DL-35). */
export const planChecksSchema = z.object({
  decode: triStateSchema,
  budget: triStateSchema,
  transport: triStateSchema,
  model: triStateSchema,
  prepare: triStateSchema,
});
export type PlanChecks = z.infer<typeof planChecksSchema>;

export const planItemSchema = z.object({
  attachmentId: idSchema('attachment'),
  becomes: planFormSchema,
  checks: planChecksSchema,
  recipe: planRecipeSchema.optional(),
  reason: z.string().optional(),
  warnings: z.array(warningSchema),
});
export type PlanItem = z.infer<typeof planItemSchema>;

export const budgetEntrySchema = z.object({
  used: z.int().nonnegative(),
  limit: z.int().nonnegative(),
  /** What a live runtime already holds of its own history (SR-05). */
  resident: z.int().nonnegative(),
});

export const budgetNames = ['bytes', 'pixels', 'images', 'pages', 'lineBytes'] as const;
export type BudgetName = (typeof budgetNames)[number];
export const budgetSchema = z.partialRecord(z.enum(budgetNames), budgetEntrySchema);
export type Budget = z.infer<typeof budgetSchema>;

/**
 * What each attachment of a message will become for one target, or why it is blocked. Made by the planner in ingest, executed by the
 * projector; frozen into the delivery when accepted. Holds no base64 and no path; may be logged.
 */
export const deliveryPlanSchema = z.object({
  agentId: idSchema('agent'),
  decision: z.enum(['deliver', 'blocked']),
  items: z.array(planItemSchema),
  failures: z.array(failureSchema),
  budget: budgetSchema,
  /** Version of the capability catalog on which it was made. */
  catalogVersion: z.string().optional(),
});
export type DeliveryPlan = z.infer<typeof deliveryPlanSchema>;

/** A plan for a model API instead of an agent. */
export const projectionPlanSchema = deliveryPlanSchema
  .omit({ agentId: true })
  .extend({ agentId: idSchema('agent').optional() });
export type ProjectionPlan = z.infer<typeof projectionPlanSchema>;
