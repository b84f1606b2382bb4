import type { ChangeEvent, InputHTMLAttributes } from 'react';
import { isOfPeople } from './read-drop.ts';

type InputProps = InputHTMLAttributes<HTMLInputElement> & { webkitdirectory?: string };

type Takes = { accept: string; take(files: File[]): void };

/** Props of a hidden `<input>` that a button opens with `click()`. */
export function createInputProps({ accept, take }: Takes) {
  const common = (props: InputProps): InputProps => ({
    type: 'file',
    hidden: true,
    ...props,
    onChange(event: ChangeEvent<HTMLInputElement>) {
      props.onChange?.(event);
      const input = event.currentTarget;
      const files = Array.from(input.files ?? []).filter(isOfPeople);
      // The same file can be chosen again.
      input.value = '';
      take(files);
    },
  });
  return {
    getInputProps: (props: InputProps = {}) => common({ multiple: true, accept, ...props }),
    getFolderInputProps: (props: InputProps = {}) => common({ multiple: true, webkitdirectory: '', ...props }),
    getCameraInputProps: (props: InputProps = {}) => common({ accept: 'image/*', capture: 'environment', ...props }),
  };
}
