import { type FormEvent, useId, useRef } from 'react';
import { type ComposerOptions, type ComposerState, useComposer } from '../composer/use-composer.ts';
import { useWords } from '../provider/context.ts';
import { describeError } from '../words/describe-file.ts';
import { Announcements } from './announcements.tsx';
import { AttachmentList } from './attachment-list.tsx';
import { ComposerTools } from './composer-tools.tsx';
import { DropZone } from './drop-zone.tsx';
import { Icon } from './icon.tsx';
import { PlanNotes } from './plan-notes.tsx';
import { Refusals } from './refusals.tsx';

export type ComposerProps = ComposerOptions;

/** A message with files: written, attached, planned and sent. */
export function Composer(props: ComposerProps) {
  const { strings } = useWords();
  const composer = useComposer(props);
  const textarea = useRef<HTMLTextAreaElement>(null);
  const { attachments, plan } = composer;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void composer.send();
  };
  return (
    <form data-attache-part="composer" dir={strings.dir} lang={strings.locale} onSubmit={onSubmit}>
      <DropZone attachments={attachments}>
        <Refusals rejected={attachments.rejected} onDismiss={attachments.dismissRejections} />
        <AttachmentList attachments={attachments} focusWhenEmpty={textarea} />
        <PlanNotes notes={plan.notes} />
        <SendError composer={composer} />
        <textarea
          {...composer.getTextProps()}
          ref={textarea}
          data-attache-part="text"
          dir={composer.text === '' ? undefined : 'auto'}
          rows={2}
          aria-label={strings.message}
          placeholder={strings.placeholder}
        />
        <div data-attache-part="toolbar">
          <ComposerTools attachments={attachments} />
          <SendButton composer={composer} />
        </div>
      </DropZone>
      <Announcements announcement={attachments.announcement} />
    </form>
  );
}

/** It keeps its focus while it is disabled, so that its reason can be read. */
function SendButton({ composer: { obstacle, isSending } }: { composer: ComposerState }) {
  const { strings } = useWords();
  const reasonId = useId();
  const label = isSending ? strings.sending : strings.send;
  return (
    <>
      <span id={reasonId} data-attache-part="obstacle">
        {obstacle}
      </span>
      <button type="submit" data-attache-part="send" aria-disabled={obstacle !== undefined} aria-describedby={reasonId}>
        <Icon name="send" />
        {label}
      </button>
    </>
  );
}

function SendError({ composer: { error } }: { composer: ComposerState }) {
  const words = useWords();
  if (!error) return null;
  return (
    <p data-attache-part="send-error">
      <Icon name="warning" />
      {describeError(error, words)}
    </p>
  );
}
