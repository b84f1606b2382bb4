import type { FailureCode } from '../delivery/failure.ts';
import type { FailureExplanation } from './failure-explanation.ts';
import { attachmentFailureExplanations } from './failure-explanations-attachment.ts';
import { deliveryFailureExplanations } from './failure-explanations-delivery.ts';

/** Every code of the closed list (DL-37). */
export const failureExplanations: Record<FailureCode, FailureExplanation> = {
  ...attachmentFailureExplanations,
  ...deliveryFailureExplanations,
};
