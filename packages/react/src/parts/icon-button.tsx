import type { ButtonHTMLAttributes, Ref } from 'react';
import { Icon, type IconName } from './icon.tsx';

type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> & {
  part: string;
  icon: IconName;
  /** Its name for everybody: a tooltip shows it. */
  label: string;
  buttonRef?: Ref<HTMLButtonElement>;
};

/** A button that shows a sign. */
export function IconButton({ part, icon, label, buttonRef, ...props }: IconButtonProps) {
  return (
    <button ref={buttonRef} type="button" data-attache-part={part} aria-label={label} title={label} {...props}>
      <Icon name={icon} />
    </button>
  );
}
