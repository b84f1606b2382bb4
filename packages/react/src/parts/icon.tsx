const PATHS = {
  attach: 'M14.5 7.5 8 14a2.8 2.8 0 0 0 4 4l7-7a4.6 4.6 0 0 0-6.5-6.5l-7 7a6.4 6.4 0 0 0 9 9L20 15',
  folder: 'M3 7a2 2 0 0 1 2-2h4l2 2.5h8a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z',
  camera: 'M4 8h3.5L9 5.5h6L16.5 8H20v11H4zM12 16.5a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4z',
  send: 'M12 20V5M5.5 11.5 12 5l6.5 6.5',
  close: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
  stop: 'M8 8h8v8H8z',
  retry: 'M19 12a7 7 0 1 1-2.2-5.1M19.5 4v4.5H15',
  file: 'M6 3.5h8L19 8.5v12H6zM14 3.5v5h5',
  image: 'M4 5h16v14H4zM4 16l4.5-4.5 4 4 2.5-2.5 5 5M15.5 9.5h.01',
  check: 'M5.5 12.5l4.5 4.5 8.5-9.5',
  blocked: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM6.5 6.5l11 11',
  warning: 'M12 4 2.8 19.5h18.4zM12 10v4.5M12 17.2h.01',
} as const;

export type IconName = keyof typeof PATHS;

/** A sign beside a text or a label that says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg data-attache-icon={name} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
