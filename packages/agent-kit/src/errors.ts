import { Fault } from '@attache/contracts';

/** Raised when the process was not started by a gateway, or its gateway does not answer. */
export class ToolContextUnavailableError extends Fault {
  constructor(message: string, details: { retryable?: boolean; cause?: unknown } = {}) {
    super('CONFIGURATION_INVALID', message, details);
  }
}

/** Raised when an id names no attachment that this agent may see: unknown, deleted, foreign or not granted (AT-12). */
export class ResolveError extends Fault {
  readonly attachmentId: string;

  constructor(attachmentId: string, details: { cause?: unknown } = {}) {
    super(
      'ATTACHMENT_NOT_FOUND',
      'No attachment with this id is granted to this agent. Copy the id verbatim from its marker.',
      details,
    );
    this.attachmentId = attachmentId;
  }
}
