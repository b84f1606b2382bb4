import { z } from 'zod';
import { attachmentSchema } from '../delivery/attachment.ts';
import { idSchema } from '../ids.ts';

/** Responses of the socket that a child may call. */
export const agentAttachmentSchema = z.object({
  attachment: attachmentSchema,
  /** Only for a `ready` file: an agent never gets the bytes of any other. */
  displayUrl: z.string().optional(),
});
export const agentAttachmentListSchema = z.object({ items: z.array(attachmentSchema) });
export const agentFileSchema = z.object({ path: z.string() });
export const agentOutputSchema = z.object({
  attachmentId: idSchema('attachment'),
  displayUrl: z.string(),
  name: z.string(),
  mimeType: z.string(),
});
export type AgentOutput = z.infer<typeof agentOutputSchema>;
