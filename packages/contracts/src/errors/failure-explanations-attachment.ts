import type { FailureCode } from '../delivery/failure.ts';
import type { FailureExplanation } from './failure-explanation.ts';

type AttachmentFailureCode = Extract<FailureCode, `attachment_${string}`>;

const planned = { raisedBy: ['plan'], retryable: 'no' } as const;
const raisedByNobody = { raisedBy: [], retryable: 'no' } as const;

/** Failures of one file. */
export const attachmentFailureExplanations: Record<AttachmentFailureCode, FailureExplanation> = {
  attachment_too_large_original: {
    ...planned,
    when: 'The file as it is holds more than the target takes, and no smaller form of it can be made. A text is also measured by what the context of the model holds.',
    whatToDo: 'Send a smaller file, or split it.',
  },
  attachment_too_large_optimized: {
    raisedBy: ['plan', 'execution'],
    retryable: 'no',
    when: 'Even the smallest form worth sending is larger than the target takes. The plan sees it where there is next to no room, the execution where the made file turns out too large.',
    whatToDo: 'Crop, shorten or split the file, or choose a target that takes more.',
  },
  attachment_serialized_payload_too_large: {
    raisedBy: ['plan', 'gateway', 'driver'],
    retryable: {
      dependsOn:
        'who raises it: yes where the model refused the whole conversation as too large: its agent has begun a new one. Else no.',
    },
    when: 'The message as a whole does not fit: its bytes, its images or its pages are more than the target takes at once, counting what the conversation already holds. The driver raises it where the line that it would write is longer than the protocol of the agent allows; the gateway where the model refused the conversation as too large.',
    whatToDo: 'Send fewer or smaller attachments, split the message, or start a new conversation.',
  },
  attachment_unsupported_mime: {
    ...planned,
    when: 'The target takes files of this kind, but not of this media type, and the file cannot be converted into one that it takes. Moving images are not made into still ones.',
    whatToDo: 'Convert the file to one of the types that the message of the failure names, and upload it again.',
  },
  attachment_type_unsupported: {
    raisedBy: ['plan', 'execution'],
    retryable: 'no',
    when: 'No model takes files of this type in any form, and the agent has no tools of its own that could read the file, or its profile denies them; or the file is coded in a way for which there is no decoder here.',
    whatToDo:
      'Convert the file to an image, a PDF or a text; or send it to an agent whose program reads files with tools of its own, and whose profile allows them; or send the message without it.',
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
    when: 'A document or a text cannot be read, or a file of any kind ended two isolated workers one after the other.',
    whatToDo: 'Save or export the file again and upload the new one.',
  },
  attachment_pixels_exceeded: {
    raisedBy: ['inspection', 'execution'],
    retryable: 'no',
    when: 'The image has more pixels than this installation decodes, or decoding it would need too much memory.',
    whatToDo: 'Upload a smaller image, or have the operator raise the limit.',
  },
  attachment_inspection_too_costly: {
    raisedBy: ['inspection'],
    retryable: 'no',
    when: 'Reading the file took a worker more processor time than an inspection may take. It was tried once. The file may be sound.',
    whatToDo: 'Save or export the file in a simpler form, or split it, and upload that.',
  },
  attachment_encrypted: {
    raisedBy: ['inspection'],
    retryable: 'no',
    when: 'A document opens with a password only.',
    whatToDo: 'Save a copy without protection and upload that.',
  },
  attachment_pending: {
    raisedBy: ['plan', 'bus', 'gateway'],
    retryable: 'yes',
    when: 'The file is still being inspected. A message waits a few seconds for it before it is refused; a tool that should show it does not wait. On a file that was rejected: its inspection was given up after five attempts on our side.',
    whatToDo:
      'Send the same message, or call the same tool, again in a moment. Where the file was rejected, upload it again, or have the operator replay the dead letter that the failure names.',
  },
  attachment_rejected: {
    ...planned,
    raisedBy: ['plan', 'gateway'],
    when: 'The file did not pass its inspection; the message of the failure repeats why. It is neither delivered nor shown by a tool.',
    whatToDo: 'Send the message without the file, or upload a sound one.',
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
        'whose bytes they are: a variant that comes out with other bytes than before is planned again by a retry; an upload is not mended by one.',
    },
    when: 'The stored bytes are not those whose digest was recorded. They are given to nobody.',
    whatToDo: 'Retry where the failure says so; else upload the file again. Have the operator look at the store.',
  },
  attachment_optimization_failed: {
    raisedBy: ['execution'],
    retryable: 'no',
    when: 'The form that was planned could not be made: the worker gave up on it twice, a document turned out to have no text, or the encoding of a text is not known.',
    whatToDo: 'Send a smaller or simpler file, or another form of it.',
  },
  attachment_runtime_unsupported: {
    ...planned,
    when: 'The way to the model, which is the program of an agent or the format of an API, does not carry files of this kind, was seen not to bring them to its model, or has not yet said that it carries them.',
    whatToDo: 'Choose another agent or format, or send what matters as text or as an image.',
  },
  attachment_model_unsupported: {
    ...planned,
    when: 'The model is known not to take files of this kind, images aside, or a document has no text of its own for a model that takes nothing else of it.',
    whatToDo: 'Choose a model that takes them, or send what matters as text or as images.',
  },
  attachment_model_vision_unsupported: {
    ...planned,
    when: 'The model is known not to take images.',
    whatToDo: 'Choose an agent whose model takes images, or send the message without the image.',
  },
  attachment_model_vision_unknown: {
    ...planned,
    when: 'It is not known whether the model takes images. What is not known is not tried.',
    whatToDo:
      'State it in the profile of the agent, override it for the model or the message, or choose a model that is known to.',
  },
  attachment_model_unknown: {
    ...planned,
    when: 'It is not known whether the model takes files of this kind, images aside. What is not known is not tried.',
    whatToDo:
      'State it in the profile of the agent, override it for the model or the message, or choose a model that is known to.',
  },
  attachment_conversion_denied: {
    ...planned,
    raisedBy: ['plan', 'gateway'],
    when: 'A converted form would fit, but the session forbids conversions. Also where an agent asks to be shown what would have to be made of a file.',
    whatToDo: 'Upload the file in a form that fits, or allow conversions in a new session.',
  },
  attachment_artifact_missing: {
    raisedBy: ['gateway', 'driver'],
    retryable: {
      dependsOn:
        'what is gone: a file in the folder of the agent is fetched again by a retry; the bytes of an upload are not brought back.',
    },
    when: 'Bytes that the message needs were not there when they were to be brought to the agent: an upload is gone from the store, or a file is gone or changed in the folder of the agent. A variant that is gone is made again and fails nothing.',
    whatToDo: 'Retry where the failure says so; else upload the file again.',
  },
  attachment_artifact_write_failed: {
    raisedBy: ['gateway'],
    retryable: 'yes',
    when: 'A file could not be fetched from the store for the agent, or not be written for it.',
    whatToDo: 'Retry the delivery. If it stays, have the operator look at the store and the free disk space.',
  },
  attachment_provider_auth_required: {
    ...raisedByNobody,
    when: 'Raised by nobody in this release. An agent whose provider refuses its key fails with delivery_agent_auth_required.',
    whatToDo: 'Nothing: it is kept for providers that tell a missing key from an agent that is not signed in.',
  },
  attachment_provider_quota_exceeded: {
    raisedBy: ['gateway', 'driver'],
    retryable: 'yes',
    when: "The agent passed on that the quota or the rate of its provider is used up, or the tenant's tokens of the day. In a timeline beside an unchanged status: the agent's requests wait, since its provider takes no more under the key for now.",
    whatToDo:
      'Wait, or raise the quota at the provider or the limit of the tenant, then retry the delivery. Beside an unchanged status: nothing.',
  },
  attachment_provider_rejected: {
    raisedBy: ['gateway', 'driver'],
    retryable: 'no',
    when: 'The agent answered a message that has attachments with an error that says neither that it must sign in, nor that a quota is used up, nor that it did not understand. As a warning beside an answer: the model refused, or the runtime took a file out of the conversation.',
    whatToDo: 'Read the diagnostic, then send the message without the attachments or in another form.',
  },
  attachment_not_granted: {
    raisedBy: ['gateway'],
    retryable: 'no',
    when: 'The right of the agent to a file of a message that waited was taken back, or its time was over, before the first byte was written. Nothing of the message was written. To a tool, a file that its agent was not given is one that does not exist.',
    whatToDo: 'Send the message again: naming the file grants it again. Or send it without the file.',
  },
};
