import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import { apiSchemas } from '../api-schemas.ts';
import { idSchema } from '../ids.ts';
import { cropSchema } from './attachment.ts';
import { triStateSchema } from './capability.ts';
import { failureSchema, warningSchema } from './failure.ts';

const imageTypeSchema = z.enum(['image/png', 'image/jpeg']);

const inlineImageSchema = z
  .object({
    purpose: z.literal('inline-image'),
    mimeType: imageTypeSchema,
    /** Longest side after the resize; never larger than the source. */
    maxEdgePixels: z.int().positive(),
    /** Maximum size of the encoded variant. Quality, then size, is lowered to fit (floors in media). */
    maxBytes: z.int().positive(),
  })
  .register(apiSchemas, { id: 'InlineImageRecipe', description: 'An image that fits the model.' });

const otherRecipeSchemas = [
  z
    .object({
      purpose: z.literal('decoded-text'),
      encoding: z.string().describe('Label of the text’s encoding.'),
      linesAs: z.string().optional().describe('Label of the encoding of its lines that are in another.'),
      withoutMedia: z.boolean().optional().describe('Files in it as base64 are left out.'),
      maxBytes: z.int().positive(),
    })
    .register(apiSchemas, { id: 'DecodedTextRecipe', description: 'A text in UTF-8.' }),
  z
    .object({ purpose: z.literal('preview'), maxEdgePixels: z.int().positive() })
    .register(apiSchemas, { id: 'PreviewRecipe', description: 'A small image for people.' }),
  z
    .object({
      purpose: z.literal('page-image'),
      page: z.int().positive(),
      mimeType: imageTypeSchema,
      maxEdgePixels: z.int().positive(),
      maxBytes: z.int().positive(),
    })
    .register(apiSchemas, { id: 'PageImageRecipe', description: 'One page of a document as an image.' }),
  /** Each page is under a line with its number. */
  z
    .object({ purpose: z.literal('document-text'), maxBytes: z.int().positive() })
    .register(apiSchemas, { id: 'DocumentTextRecipe', description: 'The text of a document.' }),
] as const;

/** How one variant is to be made. Deterministic: the same recipe on the same bytes gives the same variant id (DL-45). */
export const recipeSchema = z.discriminatedUnion('purpose', [
  /** A crop is of the source as it is shown, before the resize. */
  inlineImageSchema.extend({ crop: cropSchema.optional() }),
  ...otherRecipeSchemas,
]);
export type Recipe = z.infer<typeof recipeSchema>;

/** One `page-image` each, all alike. */
const pagesRecipeSchema = z
  .object({
    purpose: z.literal('page-images'),
    pages: z.int().positive().describe('Number of pages.'),
    mimeType: imageTypeSchema,
    maxEdgePixels: z.int().positive(),
    maxBytes: z.int().positive().describe('How many bytes each page may have.'),
  })
  .register(apiSchemas, { id: 'PageImagesRecipe', description: 'All pages of a document as images.' });
export type PagesRecipe = z.infer<typeof pagesRecipeSchema>;

/** A plan sends no part of an image. */
export const planRecipeSchema = z
  .discriminatedUnion('purpose', [inlineImageSchema, ...otherRecipeSchemas, pagesRecipeSchema])
  .register(apiSchemas, { id: 'PlanRecipe', description: 'How the form is made.' });
export type PlanRecipe = z.infer<typeof planRecipeSchema>;

export const planFormSchema = z
  .enum(['native', 'variant', 'pages', 'text', 'descriptor', 'tool', 'blocked'])
  .register(apiSchemas, {
    id: 'PlanForm',
    description: 'What an attachment becomes. `variant`: one derived file of the same kind.',
  });
export type PlanForm = z.infer<typeof planFormSchema>;

/** The order is that of DL-63. Separate truths stay separate (DL-35). */
export const planChecksSchema = z
  .object({
    decode: triStateSchema.describe('Whether the file can be read.'),
    budget: triStateSchema.describe('Whether it keeps within the limits.'),
    transport: triStateSchema.describe('Whether the runtime carries it to the model.'),
    model: triStateSchema.describe('Whether the model understands it.'),
    prepare: triStateSchema.describe('Whether what must be made can be made.'),
  })
  .register(apiSchemas, { id: 'PlanChecks', description: 'The gates in their order.' });
export type PlanChecks = z.infer<typeof planChecksSchema>;

export const planItemSchema = z
  .object({
    attachmentId: idSchema('attachment'),
    becomes: planFormSchema.describe('What it becomes.'),
    checks: planChecksSchema.describe('The gates, one by one.'),
    recipe: planRecipeSchema.optional().describe('How the form is made.'),
    reason: z.string().optional(),
    warnings: z.array(warningSchema).describe('What is worth knowing and stops nothing.'),
  })
  .register(apiSchemas, { id: 'PlanItem', description: 'What one attachment becomes.' });
export type PlanItem = z.infer<typeof planItemSchema>;

export const budgetEntrySchema = z
  .object({
    used: z.int().nonnegative().describe('How much the message takes.'),
    limit: z.int().nonnegative(),
    /** It counts in every budget (SR-05). */
    resident: z.int().nonnegative().describe('What the runtime already holds of its own history.'),
  })
  .register(apiSchemas, { id: 'BudgetEntry', description: 'How much of one limit the message takes.' });

const budgetNames = ['bytes', 'pixels', 'images', 'pages', 'lineBytes'] as const;
export type BudgetName = (typeof budgetNames)[number];
export const budgetSchema = z
  .partialRecord(z.enum(budgetNames), budgetEntrySchema)
  .register(apiSchemas, { id: 'Budget', description: 'How much of each limit the message takes.' });
export type Budget = z.infer<typeof budgetSchema>;

/**
 * Made by the planner in ingest, executed by the projector; frozen into the
 * delivery when accepted. Holds no base64 and no path; may be logged.
 */
export const deliveryPlanSchema = z
  .object({
    agentId: idSchema('agent'),
    decision: z.enum(['deliver', 'blocked']).describe('`blocked`: nothing of it is sent.'),
    items: z.array(planItemSchema).describe('What each attachment becomes.'),
    failures: z.array(failureSchema).describe('Why it was refused.'),
    budget: budgetSchema.describe('How much of each limit is taken.'),
    catalogVersion: z.string().optional().describe('Version of the catalog that was read.'),
  })
  .register(apiSchemas, {
    id: 'DeliveryPlan',
    description: 'What each attachment of a message becomes for one agent, or why it is blocked.',
    examples: [dto['dto.delivery-plan.blocked']],
  });
export type DeliveryPlan = z.infer<typeof deliveryPlanSchema>;

export const projectionPlanSchema = deliveryPlanSchema
  .omit({ agentId: true })
  .extend({ agentId: idSchema('agent').optional() })
  .register(apiSchemas, {
    id: 'ProjectionPlan',
    description: 'What each attachment of a message becomes for a model, or why it is blocked.',
  });
export type ProjectionPlan = z.infer<typeof projectionPlanSchema>;
