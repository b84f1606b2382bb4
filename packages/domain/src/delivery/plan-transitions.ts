import type { Actor, AttachmentStatus, DeliveryStatus } from '@attache/contracts';

/** The services that write statuses. */
export type ServiceName = Extract<Actor, { type: 'service' }>['id'];

export type StatusChange<Status> = { from: Status; to: Status; actor: ServiceName };

const one = <Status>(from: Status, to: Status, actor: ServiceName): StatusChange<Status> => ({ from, to, actor });

/** Every change of a delivery's status, and who may make it. What is not here does not happen. */
export const deliveryTransitions: readonly StatusChange<DeliveryStatus>[] = [
  one('queued', 'prepared', 'projector'),
  // If nothing has to be created.
  one('queued', 'prepared', 'ingest'),
  one('queued', 'failed', 'projector'),
  one('prepared', 'claimed', 'runner-gateway'),
  // Provably not written: given back after its owner died.
  one('claimed', 'prepared', 'runner-gateway'),
  // Written, and provably never forwarded to a model: given back after its owner died.
  one('written', 'prepared', 'runner-gateway'),
  one('claimed', 'written', 'runner-gateway'),
  one('written', 'responded', 'runner-gateway'),
  one('prepared', 'failed', 'runner-gateway'),
  one('claimed', 'failed', 'runner-gateway'),
  one('written', 'failed', 'runner-gateway'),
  // Before the write only; later it is an interrupt.
  ...(['queued', 'prepared', 'claimed'] as const).flatMap((from) => [
    one<DeliveryStatus>(from, 'cancelled', 'ingest'),
    one<DeliveryStatus>(from, 'cancelled', 'runner-gateway'),
  ]),
  // Another target: planned again, and delivered or refused (DL-51).
  one('queued', 'queued', 'ingest'),
  one('prepared', 'queued', 'ingest'),
  one('queued', 'failed', 'ingest'),
  one('prepared', 'failed', 'ingest'),
  // A manual retry (DL-42).
  one('failed', 'queued', 'ingest'),
];

/** An attachment's status, or that it is gone. */
export type AttachmentState = AttachmentStatus | 'deleted';

const attachmentTransitions: readonly StatusChange<AttachmentState>[] = [
  one('pending', 'ready', 'projector'),
  // If its bytes showed everything while they arrived.
  one('pending', 'ready', 'ingest'),
  one('pending', 'ready', 'runner-gateway'),
  one('pending', 'rejected', 'projector'),
  // Rejected because its inspection was given up, and inspected again by the operator's word.
  one('rejected', 'pending', 'ingest'),
  one('pending', 'deleted', 'ingest'),
  one('ready', 'deleted', 'ingest'),
  one('rejected', 'deleted', 'ingest'),
];

/** Whether this service may change a delivery's status so. */
export function isAllowedTransition(wanted: StatusChange<DeliveryStatus>): boolean {
  return contains(deliveryTransitions, wanted);
}

/** Whether this service may change an attachment's status so. */
export function isAllowedAttachmentTransition(wanted: StatusChange<AttachmentState>): boolean {
  return contains(attachmentTransitions, wanted);
}

function contains<Status>(table: readonly StatusChange<Status>[], wanted: StatusChange<Status>): boolean {
  return table.some(({ from, to, actor }) => from === wanted.from && to === wanted.to && actor === wanted.actor);
}
