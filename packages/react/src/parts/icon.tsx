const PATHS = {
  attach: 'M12 5v14M5 12h14',
  folder: 'M3 5h6l2 3h10v11H3z',
  camera: 'M4 8h3l2-3h6l2 3h3v11H4zM9 13h6',
  send: 'M12 20V5M5 12l7-7 7 7',
  close: 'M6 6l12 12M18 6 6 18',
  stop: 'M7 7h10v10H7z',
  retry: 'M19 12a7 7 0 1 1-2-5M19 3v4h-4',
  file: 'M6 3h8l5 5v13H6zM14 3v5h5',
  check: 'M5 12l5 5 9-10',
  warning: 'M12 4 3 20h18zM12 10v4M12 17h0',
} as const;

export type IconName = keyof typeof PATHS;

/** A sign beside a text or a label that says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg data-attache-icon={name} viewBox="0 0 24 24" aria-hidden>
      <path d={PATHS[name]} />
    </svg>
  );
}
