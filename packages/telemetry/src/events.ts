import type { Logger } from 'pino';

// One function per business event: the only place that decides what is said of it. Ids, counts and codes; never names, texts or bytes.

export function logUploadAccepted(
  log: Logger,
  event: { attachmentId: string; sessionId: string; mimeType: string; sizeBytes: number; durationMs: number },
): void {
  log.info(event, 'attachment.added');
}

export function logUploadRefused(log: Logger, event: { sessionId: string; code: string; sizeBytes: number }): void {
  log.info(event, 'upload.refused');
}

export function logAttachmentInspected(
  log: Logger,
  event: {
    attachmentId: string;
    status: 'ready' | 'rejected';
    kind: string;
    code?: string | undefined;
    durationMs: number;
  },
): void {
  log.info(event, `attachment.${event.status}`);
}

export function logMessageAccepted(
  log: Logger,
  event: { messageId: string; sessionId: string; deliveries: number; attachments: number; textBytes: number },
): void {
  log.info(event, 'message.accepted');
}

export function logMessageBlocked(log: Logger, event: { sessionId: string; codes: readonly string[] }): void {
  log.info(event, 'message.blocked');
}

export function logDeliveryMoved(
  log: Logger,
  event: {
    deliveryId: string;
    status: string;
    runtime?: string;
    model?: string;
    epoch?: number;
    code?: string | undefined;
  },
): void {
  log.info(event, `delivery.${event.status}`);
}

export function logAgentStarted(
  log: Logger,
  event: { agentId: string; runtime: string; epoch: number; durationMs: number },
): void {
  log.info(event, 'agent.started');
}

export function logAgentStopped(
  log: Logger,
  event: { agentId: string; reason: string; exitCode?: number | undefined },
): void {
  log.info(event, 'agent.stopped');
}

export function logMessageDead(
  log: Logger,
  event: { subject: string; eventId: string; reason: string; attempts: number },
): void {
  log.error(event, 'bus.message_dead');
}
