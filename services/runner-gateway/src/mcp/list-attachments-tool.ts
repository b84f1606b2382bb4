import { type Attachment, Fault, uuidFromId } from '@attache/contracts';
import { type AttachmentQuery, listAttachments } from '@attache/database';
import { readGranted } from '../granted/read-granted.ts';
import type { AgentTool, ToolScope } from './agent-tool.ts';
import { answerFacts, type ToolAnswer } from './tool-answer.ts';
import { type DescribeInput, describeInput, type ListInput, listInput } from './tool-inputs.ts';

export const listTool: AgentTool = {
  name: 'attachments_list',
  title: 'List attachments',
  description: 'Lists the files that were given to you or made by you, oldest first, without their content.',
  input: listInput,
  isReadOnly: true,
  run: (scope, input) => list(scope, input as ListInput),
};

export const describeTool: AgentTool = {
  name: 'attachment_describe',
  title: 'Describe an attachment',
  description: 'Says all that is known of a file: type, size, pixels, pages, digest, warnings and its other forms.',
  input: describeInput,
  isReadOnly: true,
  run: (scope, input) => describe(scope, input as DescribeInput),
};

const DEFAULT_LIMIT = 20;
const MOST_VARIANTS = 100;

async function list({ deps, owner }: ToolScope, input: ListInput): Promise<ToolAnswer> {
  const { kind, origin, limit = DEFAULT_LIMIT } = input;
  const { sessionId } = owner.session;
  const query: AttachmentQuery = { sessionId, grantedTo: owner.agentId, kind, origin, limit: limit + 1 };
  const after = input.cursor === undefined ? undefined : parseCursor(input.cursor);
  const found = await deps.ownership.asOwner(owner.session, (tx) => listAttachments(tx, { ...query, after }));
  const items = found.slice(0, limit).map(({ attachment }) => attachment);
  const last = items.at(-1);
  const nextCursor = found.length > limit && last ? { nextCursor: formatCursor(last) } : {};
  return answerFacts({ items: items.map(summarise), ...nextCursor });
}

function summarise({ id, name, mimeType, kind, sizeBytes, origin, status, createdAt, facts }: Attachment) {
  return { id, name, mimeType, kind, sizeBytes, origin, status, createdAt, facts };
}

// Not signed: what it can name is a place in the agent's own list.
function formatCursor({ createdAt, id }: Attachment): string {
  return `${Date.parse(createdAt).toString(36)}.${uuidFromId(id)}`;
}

const CURSOR = /^([0-9a-z]{1,10})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function parseCursor(cursor: string): AttachmentQuery['after'] {
  const [, time, id] = CURSOR.exec(cursor) ?? [];
  const createdAt = new Date(Number.parseInt(time ?? '', 36));
  if (id !== undefined && !Number.isNaN(createdAt.getTime())) return { createdAt, id };
  throw new Fault('INVALID_REQUEST', 'The cursor is not one that was given out. Start again without one.');
}

async function describe({ deps, owner }: ToolScope, { attachmentId }: DescribeInput): Promise<ToolAnswer> {
  const { variants, ...attachment } = (await readGranted(deps, owner, attachmentId)).attachment;
  return answerFacts({ ...attachment, variantCount: variants.length, variants: variants.slice(0, MOST_VARIANTS) });
}
