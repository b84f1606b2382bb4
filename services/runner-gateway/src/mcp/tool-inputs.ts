import { attachmentKindSchema, attachmentOriginSchema } from '@attache/contracts';
import { z } from 'zod';

/** More than this no known agent forwards unchanged. */
export const MAX_EDGE_PIXELS = 2_000;
const MAX_TEXT_CHARACTERS = 50_000;

const attachmentId = z
  .string()
  .describe('The id of an attachment, att_…, copied verbatim from the marker or from attachments_list.');
const pixels = z.int().nonnegative();

const cropInput = z
  .strictObject({ x: pixels, y: pixels, width: z.int().positive(), height: z.int().positive() })
  .describe('A part of an image, in pixels of the original as it is shown, from its upper left corner.');

const textRangeInput = z
  .strictObject({ offset: z.int().nonnegative(), length: z.int().positive().max(MAX_TEXT_CHARACTERS) })
  .describe('A part of the text, in characters.');

export const listInput = z.strictObject({
  kind: attachmentKindSchema.optional().describe('Only attachments of this kind.'),
  origin: attachmentOriginSchema.optional().describe('Only attachments that came in this way.'),
  cursor: z.string().optional().describe('The nextCursor of the answer before, copied verbatim.'),
  limit: z.int().positive().max(50).optional().describe('How many at most; 20 without it.'),
});
export type ListInput = z.infer<typeof listInput>;

export const describeInput = z.strictObject({ attachmentId });
export type DescribeInput = z.infer<typeof describeInput>;

export const fileInput = z.strictObject({
  attachmentId,
  variantId: z
    .string()
    .optional()
    .describe(
      'The id of another form of it, var_…, copied verbatim from attachment_describe; the original without it.',
    ),
});
export type FileInput = z.infer<typeof fileInput>;

export const viewInput = z.strictObject({
  attachmentId,
  page: z.int().positive().optional().describe('The page of a PDF, from 1; the first without it.'),
  crop: cropInput.optional(),
  size: z
    .strictObject({ maxEdgePixels: z.int().min(16).max(MAX_EDGE_PIXELS) })
    .optional()
    .describe(`The longest side of the image that is shown; ${MAX_EDGE_PIXELS} pixels without it.`),
  textRange: textRangeInput.optional(),
  dryRun: z.boolean().optional().describe('Only say what would be shown.'),
});
export type ViewInput = z.infer<typeof viewInput>;

export const saveInput = z.strictObject({
  name: z.string().min(1).max(1_000).describe('What the file is called: a label, never a path.'),
  mimeType: z.string().min(3).max(255).describe('Its media type, such as image/png.'),
  text: z.string().optional().describe('The content, where it is text.'),
  base64: z.string().optional().describe('The content in base64.'),
  path: z
    .string()
    .max(4_096)
    .optional()
    .describe('A file in the working folder that holds the content: a relative path without links.'),
  dryRun: z.boolean().optional().describe('Only say whether it would be stored.'),
});
export type SaveInput = z.infer<typeof saveInput>;

/** A schema of a tool's arguments. */
export type ToolInput = z.ZodType<Record<string, unknown>>;

/** The schema as JSON Schema, which is what a model gets. */
export function describeInputSchema(schema: ToolInput): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input' });
}

const LONGEST_COMPLAINT = 500;

/** Every fault of the arguments in one sentence of bounded length. */
export function describeIssues(error: z.ZodError): string {
  const issues = error.issues.slice(0, 5).map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  return issues.join('; ').slice(0, LONGEST_COMPLAINT);
}
