import { type ReactNode, useRef } from 'react';
import type { Attachments } from '../files/use-attachments.ts';
import { useWords } from '../provider/context.ts';
import type { IconName } from './icon.tsx';
import { IconButton } from './icon-button.tsx';

type Inputs = Pick<Attachments, 'getInputProps' | 'getFolderInputProps' | 'getCameraInputProps'>;

/** Buttons that open the pickers for files, for a folder, and the camera. */
export function ComposerTools({ attachments }: { attachments: Inputs }) {
  const { strings } = useWords();
  return (
    <>
      <Picker name="attach" label={strings.attach} inputProps={attachments.getInputProps()} />
      <Picker name="folder" label={strings.attachFolder} inputProps={attachments.getFolderInputProps()} />
      <Picker name="camera" label={strings.takePhoto} inputProps={attachments.getCameraInputProps()} />
    </>
  );
}

type PickerProps = { name: IconName; label: string; inputProps: ReturnType<Inputs['getInputProps']> };

function Picker({ name, label, inputProps }: PickerProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input {...inputProps} ref={input} data-attache-input={name} tabIndex={-1} aria-label={label} />
      <IconButton part={name} icon={name} label={label} onClick={() => input.current?.click()} />
    </>
  );
}
