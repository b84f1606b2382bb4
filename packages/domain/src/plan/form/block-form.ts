import type { Block, PlannableAttachment, PlanRequestInput } from '../plan-types.ts';
import { base64Bytes } from '../room/transport-size.ts';
import { MIN_VARIANT_BYTES } from './choose-image-form.ts';
import type { ImageNeed } from './measure-image-need.ts';

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
export function blockImageSize(need: ImageNeed, grantBytes: number): Block {
  const isTargetLimit = need.neededBytes < MIN_VARIANT_BYTES;
  return {
    gate: 'budget',
    code: isTargetLimit ? 'attachment_too_large_optimized' : 'attachment_serialized_payload_too_large',
    userMessage: isTargetLimit
      ? 'The image does not fit what the target takes, even reduced. Send a smaller image.'
      : 'The message as a whole is too large for the agent, even with its images reduced. Send fewer or smaller attachments, or split the message.',
    safeDetails: {
      neededBytes: base64Bytes(need.nativeBytes ?? need.neededBytes),
      availableBytes: Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, grantBytes)),
    },
  };
}

/** A moving image that the target does not take as it is: a still of it would not be what was sent (DL-70). */
export function blockAnimation({ mimeType }: PlannableAttachment, { target }: PlanRequestInput): Block {
  return {
    gate: 'prepare',
    code: 'attachment_unsupported_mime',
    userMessage: `${target.model} does not take this moving image (${mimeType}). Send the frames that matter as PNG or JPEG.`,
    safeDetails: { mimeType, animated: true },
  };
}

/** Blocks a file whose type the target does not take, and that cannot be converted. */
export function blockFileType(
  { mimeType }: Pick<PlannableAttachment, 'mimeType'>,
  { target }: PlanRequestInput,
  taken: readonly string[],
): Block {
  return {
    gate: 'prepare',
    code: 'attachment_unsupported_mime',
    userMessage: `${target.model} does not take ${mimeType}. Convert the file to ${taken.join(' or ') || 'another type'} and upload it again.`,
    safeDetails: { mimeType },
  };
}

/** A file larger than the target takes as it is. */
export function blockFileSize({ sizeBytes }: PlannableAttachment, limitBytes: number): Block {
  return {
    gate: 'budget',
    code: 'attachment_too_large_original',
    userMessage: `The file holds ${sizeBytes} bytes; the target takes at most ${limitBytes}. Send a smaller one, or split it.`,
    safeDetails: { sizeBytes, limitBytes },
  };
}

/** A file that has no room in the message. */
export function blockFileRoom(neededBytes: number, availableBytes: number): Block {
  return {
    gate: 'budget',
    code: 'attachment_serialized_payload_too_large',
    userMessage:
      'The message as a whole is too large for the agent. Send fewer or smaller attachments, or split the message.',
    safeDetails: { neededBytes, availableBytes: Math.max(0, availableBytes) },
  };
}

/** More pages than the target takes. */
export function blockPages(pages: number | undefined, limitPages: number, what: string): Block {
  const limit = Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, limitPages));
  return {
    gate: 'budget',
    code: 'attachment_serialized_payload_too_large',
    userMessage: `The document has ${pages ?? 'an unknown number of'} pages; there is room for ${limit} ${what}. Send the pages that matter, or split the document.`,
    safeDetails: { ...(pages === undefined ? {} : { pages }), limitPages: limit },
  };
}

/** Page images that would have to be smaller than anyone can read. */
export function blockPageSize(neededBytes: number, limitBytes: number): Block {
  return {
    gate: 'budget',
    code: 'attachment_too_large_optimized',
    userMessage: `The target takes images of at most ${limitBytes} bytes, too little for a page that can still be read. Choose another agent, or send the text of the document.`,
    safeDetails: { neededBytes, limitBytes },
  };
}

/** A document without a text of its own. */
export function blockScan(): Block {
  return {
    gate: 'prepare',
    code: 'attachment_model_unsupported',
    userMessage:
      'The document has no text of its own (a scan). Choose an agent whose model takes images or PDF documents.',
  };
}

/** More images than the target takes at once. */
export function blockImageCount({ target, capability, resident, setsAside }: PlanRequestInput): Block {
  const held = setsAside ? 0 : (resident.images ?? 0);
  const history = held > 0 ? `, and it holds ${held} of this conversation until it is started again` : '';
  const maxCount = capability.image.maxCount ?? 0;
  return {
    gate: 'budget',
    code: 'attachment_serialized_payload_too_large',
    userMessage: `${target.model} takes at most ${maxCount} images at once${history}. Send fewer.`,
    safeDetails: { maxCount, resident: held },
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

/** A document whose pages cannot be drawn as they are. */
export function blockUnreadable({ facts }: PlannableAttachment): Block {
  const pages = facts.pageGaps?.length ?? 0;
  return {
    gate: 'prepare',
    code: 'attachment_page_unreadable',
    userMessage: `${pages} of the document's ${facts.pages} pages cannot be shown as they are, and no form that has all of them can be sent. Print the document into a new PDF, or send pictures of its pages.`,
    safeDetails: { pages },
  };
}
