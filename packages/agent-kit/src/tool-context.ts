import {
  type AgentOutput,
  type Attachment,
  agentAttachmentListSchema,
  agentAttachmentSchema,
  isFault,
  isId,
  type TraceContext,
} from '@attache/contracts';
import { type AttachmentHandle, attachmentPath, attachmentsPath, createAttachmentHandle } from './attachment-handle.ts';
import { type Environment, processEnvironment, readGatewayAccess } from './config.ts';
import { ResolveError, ToolContextUnavailableError } from './errors.ts';
import { createGatewayClient, type GatewayClient } from './gateway-client.ts';
import { type OutputRequest, putOutput } from './put-output.ts';

/** The attachment functions for a tool inside an agent. Every call throws `ToolContextUnavailableError` if `available` is false. */
export type ToolContext = {
  /** Whether the process was started by a gateway. */
  readonly available: boolean;
  /** Throws `ResolveError` where the id names nothing that this agent may see. */
  resolve(id: string): Promise<AttachmentHandle>;
  /** The attachments granted to this agent. */
  list(): Promise<Attachment[]>;
  putOutput(output: OutputRequest): Promise<AgentOutput>;
  /** The same context, its calls made under this span. */
  withTrace(trace: TraceContext): ToolContext;
};

/** Tool context of this process; safe to call anywhere (AT-13). */
export function createToolContext(environment: Environment = processEnvironment): ToolContext {
  const access = readGatewayAccess(environment);
  if (access === undefined) return unavailableContext;
  const withTrace = (trace?: TraceContext): ToolContext => {
    const client = createGatewayClient(access, trace);
    return {
      available: true,
      resolve: (id) => resolve(client, id),
      list: async () =>
        agentAttachmentListSchema.parse(await client.sendForJson({ method: 'GET', path: attachmentsPath })).items,
      putOutput: (output) => putOutput(client, output),
      withTrace,
    };
  };
  return withTrace();
}

async function resolve(client: GatewayClient, id: string): Promise<AttachmentHandle> {
  if (!isId('attachment', id)) throw new ResolveError(id);
  try {
    const answer = await client.sendForJson({ method: 'GET', path: attachmentPath(id) });
    return createAttachmentHandle(client, agentAttachmentSchema.parse(answer));
  } catch (error) {
    if (isFault(error, 'ATTACHMENT_NOT_FOUND')) throw new ResolveError(id, { cause: error });
    throw error;
  }
}

async function refuse(): Promise<never> {
  throw new ToolContextUnavailableError(
    'Attachments are not available: this program was not started by an Attaché gateway.',
  );
}

const unavailableContext: ToolContext = {
  available: false,
  resolve: refuse,
  list: refuse,
  putOutput: refuse,
  withTrace: () => unavailableContext,
};
