import { z } from 'zod';
import { triStateSchema } from './capability.ts';
import { failureSchema, warningSchema } from './failure.ts';
import { idSchema } from './ids.ts';

/** How a variant is to be made. Deterministic: the same recipe on the same bytes gives the same variant id (DL-45). */
export const recipeSchema = z.discriminatedUnion('purpose', [
  z.object({
    purpose: z.literal('inline-image'),
    mimeType: z.enum(['image/png', 'image/jpeg']),
    /** Longest side after the resize; never larger than the source. */
    maxEdgePixels: z.int().positive(),
    /** What the encoded variant may hold; quality, then size, is lowered to fit (floors in media). */
    maxBytes: z.int().positive(),
  }),
  z.object({ purpose: z.literal('decoded-text'), encoding: z.string(), maxBytes: z.int().positive() }),
  z.object({ purpose: z.literal('preview'), maxEdgePixels: z.int().positive() }),
]);
export type Recipe = z.infer<typeof recipeSchema>;

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
  recipe: recipeSchema.optional(),
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

/** What each attachment of a message will become for one target, or why it is blocked. Frozen into the delivery when accepted. */
export const deliveryPlanSchema = z.object({
  agentId: idSchema('agent'),
  decision: z.enum(['deliver', 'blocked']),
  items: z.array(planItemSchema),
  failures: z.array(failureSchema),
  budget: budgetSchema,
});
export type DeliveryPlan = z.infer<typeof deliveryPlanSchema>;
