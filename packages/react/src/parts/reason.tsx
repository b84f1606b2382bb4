/** Why something failed or is blocked, and what to do; nothing where nothing is known of it. */
export const Reason = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : <span data-attache-part="reason">{text}</span>;
