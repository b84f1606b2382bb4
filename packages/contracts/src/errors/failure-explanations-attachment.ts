import type { FailureCode } from '../delivery/failure.ts';
import type { FailureExplanation } from './failure-explanation.ts';

type AttachmentFailureCode = Extract<FailureCode, `attachment_${string}`>;

const planned = { raisedBy: ['plan'], retryable: 'no' } as const;
const raisedByNobody = { raisedBy: [], retryable: 'no' } as const;

/** Failures of one file. */
export const attachmentFailureExplanations: Record<AttachmentFailureCode, FailureExplanation> = {
  attachment_too_large_original: {
    ...planned,
    when: 'The file exceeds what the target takes, and no smaller form of it can be made. A text must also fit the context window of the model.',
    whatToDo: 'Send a smaller file, or split it.',
  },
  attachment_too_large_optimized: {
    raisedBy: ['plan', 'execution'],
    retryable: 'no',
    when: 'Even the smallest form worth sending is larger than the target takes. The plan finds it when there is almost no space left; the execution finds it when the converted file turns out too large.',
    whatToDo: 'Crop, shorten or split the file, or choose a target that takes more.',
  },
  attachment_serialized_payload_too_large: {
    raisedBy: ['plan', 'gateway', 'driver'],
    retryable: {
      dependsOn:
        'who raises it: yes if the model refused the whole conversation as too large, since its agent has begun a new one. Otherwise no.',
    },
    when: "The whole message does not fit: it has more bytes, images or pages than the target takes at once, together with what the conversation already holds; pictures of a conversation behind the relay do not count, since old ones are set aside. The driver raises it when its line would be longer than the agent's protocol allows. The gateway raises it when the model refused the conversation as too large.",
    whatToDo: 'Send fewer or smaller attachments, split the message, or start a new conversation.',
  },
  attachment_unsupported_mime: {
    ...planned,
    when: 'The target takes files of this kind, but not of this media type, and the file cannot be converted into one that it takes. Attaché does not turn moving images into still ones.',
    whatToDo: 'Convert the file to one of the types that the message of the failure names, and upload it again.',
  },
  attachment_type_unsupported: {
    raisedBy: ['plan', 'execution'],
    retryable: 'no',
    when: 'No model takes files of this type in any form, and the agent has no tools of its own that could read the file, or its profile denies them. Or this installation has no decoder for the encoding of the file.',
    whatToDo:
      'Convert the file to an image, a PDF or a text. Or send it to an agent whose program reads files with its own tools and whose profile allows them. Or send the message without it.',
  },
  attachment_corrupt_image: {
    raisedBy: ['inspection', 'execution'],
    retryable: 'no',
    when: 'The image does not decode, or its end is missing.',
    whatToDo: 'Save or export the image again and upload the new file.',
  },
  attachment_corrupt: {
    raisedBy: ['inspection', 'execution'],
    retryable: 'no',
    when: 'A document or a text cannot be read, or two isolated workers in a row ended on a file of any kind.',
    whatToDo: 'Save or export the file again and upload the new one.',
  },
  attachment_pixels_exceeded: {
    raisedBy: ['inspection', 'execution'],
    retryable: 'no',
    when: 'The image has more pixels than this installation decodes, or decoding it would need too much memory.',
    whatToDo: 'Upload a smaller image, or ask the operator to raise the limit.',
  },
  attachment_inspection_too_costly: {
    raisedBy: ['inspection'],
    retryable: 'no',
    when: 'Reading the file took a worker more processor time than an inspection may take. There was one attempt. The file may be intact.',
    whatToDo: 'Save or export the file in a simpler form, or split it, and upload that.',
  },
  attachment_encrypted: {
    raisedBy: ['inspection'],
    retryable: 'no',
    when: 'A document needs a password to open.',
    whatToDo: 'Save a copy without protection and upload that.',
  },
  attachment_pending: {
    raisedBy: ['plan', 'bus', 'gateway'],
    retryable: 'yes',
    when: 'The file is still being inspected. A message waits a few seconds for it before it is refused; a tool that should show it does not wait. On a rejected file, it means that our inspection gave up after five attempts.',
    whatToDo:
      'Send the same message, or call the same tool, again in a moment. If the file was rejected, upload it again, or ask the operator to replay the dead letter that the failure names.',
  },
  attachment_rejected: {
    ...planned,
    raisedBy: ['plan', 'gateway'],
    when: 'The file did not pass its inspection; the message of the failure repeats why. Attaché neither delivers the file nor shows it by a tool.',
    whatToDo: 'Send the message without the file, or upload an intact one.',
  },
  attachment_missing: {
    raisedBy: ['inspection', 'execution', 'gateway'],
    retryable: 'no',
    when: 'The file was deleted before it reached the agent, its bytes are gone from the store, or the text of the message was erased.',
    whatToDo: 'Upload the file again and send the message with it, or send the message without it.',
  },
  attachment_checksum_mismatch: {
    raisedBy: ['inspection', 'execution', 'gateway'],
    retryable: {
      dependsOn:
        'whose bytes they are. If a variant came out with other bytes than before, a retry plans it again. A retry does not repair an upload.',
    },
    when: 'The stored bytes do not match the recorded digest. Nobody receives them.',
    whatToDo: 'Retry if the failure says so; otherwise upload the file again. Ask the operator to check the store.',
  },
  attachment_optimization_failed: {
    raisedBy: ['execution'],
    retryable: 'no',
    when: 'The planned form could not be made: the worker gave up on it twice, a document turned out to have no text, or the encoding of a text is unknown.',
    whatToDo: 'Send a smaller or simpler file, or another form of it.',
  },
  attachment_page_unreadable: {
    raisedBy: ['plan', 'execution'],
    retryable: 'no',
    when: 'No page of the document can be drawn, and the target takes it in no other form. The plan finds it when inspection saw that no page opens; the execution finds it when nothing was drawn, or when several pages took all the processor time that a page may take.',
    whatToDo:
      'Print the document into a new PDF and upload that, send pictures of its pages, or choose a target that takes PDF as it is.',
  },
  attachment_runtime_unsupported: {
    raisedBy: ['plan', 'gateway'],
    retryable: 'no',
    when: "The transport to the model, which is an agent's program or the format of an API, does not carry files of this kind, was seen not to pass them on to its model, or has not yet reported that it carries them. As the warning of an answered delivery: a file went by tool, and the program has not asked for the tools that open it.",
    whatToDo: 'Choose another agent or format, or send what matters as text or as an image.',
  },
  attachment_model_unsupported: {
    ...planned,
    when: 'The model does not take files of this kind (images have their own code), or a document has no text for a model that takes only text.',
    whatToDo: 'Choose a model that takes them, or send what matters as text or as images.',
  },
  attachment_model_vision_unsupported: {
    ...planned,
    when: 'The model does not take images.',
    whatToDo: 'Choose an agent whose model takes images, or send the message without the image.',
  },
  attachment_model_vision_unknown: {
    ...planned,
    when: 'Nobody has stated whether the model takes images. Attaché does not try what it does not know.',
    whatToDo:
      'State it in the profile of the agent, override it for the model or the message, or choose a model that is known to take them.',
  },
  attachment_model_unknown: {
    ...planned,
    when: 'Nobody has stated whether the model takes files of this kind (images have their own code). Attaché does not try what it does not know.',
    whatToDo:
      'State it in the profile of the agent, override it for the model or the message, or choose a model that is known to take them.',
  },
  attachment_conversion_denied: {
    ...planned,
    raisedBy: ['plan', 'gateway'],
    when: 'A converted form would fit, but the session forbids conversions. Or an agent asks to see a form of a file that would have to be made.',
    whatToDo: 'Upload the file in a form that fits, or allow conversions in a new session.',
  },
  attachment_artifact_missing: {
    raisedBy: ['gateway', 'driver'],
    retryable: {
      dependsOn:
        'what is gone. A retry fetches a file in the folder of the agent again. It does not bring back the bytes of an upload.',
    },
    when: 'Bytes that the message needs were missing when the gateway delivered it: an upload is gone from the store, or a file is gone or changed in the folder of the agent. A missing variant is made again and fails nothing.',
    whatToDo: 'Retry if the failure says so; otherwise upload the file again.',
  },
  attachment_artifact_write_failed: {
    raisedBy: ['gateway'],
    retryable: 'yes',
    when: 'The gateway could not fetch a file from the store, or could not write it for the agent.',
    whatToDo: 'Retry the delivery. If it persists, ask the operator to check the store and the free disk space.',
  },
  attachment_provider_auth_required: {
    ...raisedByNobody,
    when: 'This release never raises it. An agent whose provider refuses its key fails with delivery_agent_auth_required.',
    whatToDo:
      'Do nothing: the code is reserved for providers that distinguish a missing key from an agent that is not signed in.',
  },
  attachment_provider_quota_exceeded: {
    raisedBy: ['gateway', 'driver'],
    retryable: 'yes',
    when: "The provider's quota, or the tenant's tokens of the day, are used up. Without the relay it may also be a rate limit: few programs say which.",
    whatToDo: 'Wait, or raise the quota at the provider or the limit of the tenant, then retry the delivery.',
  },
  attachment_provider_rate_limited: {
    raisedBy: ['gateway'],
    retryable: 'yes',
    when: "The provider takes no more requests under the key for now, and said how long to wait: less than ten minutes. Only the relay sees that. In a timeline, beside an unchanged status, it means that the agent's requests wait for that reason.",
    whatToDo: 'Retry the delivery after the seconds that the failure names. Beside an unchanged status, do nothing.',
  },
  attachment_provider_rejected: {
    raisedBy: ['gateway', 'driver'],
    retryable: 'no',
    when: 'The agent answered a message that has attachments with an error, and the error mentions neither signing in, nor a used-up quota, nor a misunderstood request. As a warning beside an answer, it means that the model refused, or that the runtime took a file out of the conversation.',
    whatToDo: 'Read the diagnostic, then send the message without the attachments or in another form.',
  },
  attachment_earlier_rejected: {
    raisedBy: ['gateway', 'driver'],
    retryable: {
      dependsOn:
        'whether the file is known. Behind the relay it is left out from then on, and a retry succeeds. Otherwise the program sends it again with every turn; a retry helps only if the provider was away, which not every program says.',
    },
    when: 'The provider refused a file of an earlier message, which the program had sent again with this one.',
    whatToDo:
      'Retry if the failure says so. Otherwise continue with another agent or in a new session, without that file.',
  },
  attachment_not_granted: {
    raisedBy: ['gateway'],
    retryable: 'no',
    when: "The agent's grant of a file in a waiting message was revoked, or expired, before the first byte was written. Nothing of the message was written. For a tool, a file that its agent was not granted does not exist.",
    whatToDo: 'Send the message again, which grants the named file again. Or send it without the file.',
  },
};
