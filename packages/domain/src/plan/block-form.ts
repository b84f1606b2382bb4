import { base64Bytes } from '../transport-size.ts';
import type { Block, PlannableAttachment, PlanRequestInput } from './plan-types.ts';
import type { ImageWish } from './wish-image.ts';

/** A variant smaller than this shows nothing; its message is refused instead. */
export const MIN_VARIANT_BYTES = 16 * 1024;

/** An image that the target does not take as it is, in a format that has no decoder here. */
export function blockFormat({ mimeType }: PlannableAttachment, { target }: PlanRequestInput): Block {
  return {
    gate: 'prepare',
    code: 'attachment_unsupported_mime',
    userMessage: `${target.model} cannot take this ${mimeType} file as it is, and it cannot be converted here. Turn the image into a PNG or JPEG and upload it again.`,
    safeDetails: { mimeType },
  };
}

/** An image that has no room, either in the message or on the target at all. */
export function blockImageSize(wish: ImageWish, grantBytes: number): Block {
  const isTargetLimit = wish.neededBytes < MIN_VARIANT_BYTES;
  return {
    gate: 'budget',
    code: isTargetLimit ? 'attachment_too_large_optimized' : 'attachment_serialized_payload_too_large',
    userMessage: isTargetLimit
      ? 'The image does not fit what the target takes, even reduced. Send a smaller image.'
      : 'The message as a whole is too large for the agent, even with its images reduced. Send fewer or smaller attachments, or split the message.',
    safeDetails: { neededBytes: base64Bytes(wish.nativeBytes ?? wish.neededBytes), availableBytes: grantBytes },
  };
}

/** A text file longer than the target takes. */
export function blockTextSize(limitBytes: number): Block {
  return {
    gate: 'budget',
    code: 'attachment_too_large_original',
    userMessage: `The text file holds more than the ${limitBytes} bytes that the target takes. Send a shorter one, or split it.`,
    safeDetails: { limitBytes },
  };
}

/** A text file that has no room in the message. */
export function blockTextLine(neededBytes: number, availableBytes: number): Block {
  return {
    gate: 'budget',
    code: 'attachment_serialized_payload_too_large',
    userMessage:
      'The text file may not fit what one message to the agent can hold. Send a shorter one, split it, or send it alone.',
    safeDetails: { neededBytes, availableBytes: Math.max(0, availableBytes) },
  };
}

/** A form would fit, but the session does not allow to make one (DL-50). */
export function blockConversion(): Block {
  return {
    gate: 'prepare',
    code: 'attachment_conversion_denied',
    userMessage:
      'The attachment would have to be converted, and this session does not allow conversions. Upload it in a form that fits, or allow conversions.',
  };
}
