/** The settings of a program besides its command, by which it follows the profile of one agent. */
export type ProgramSettings = {
  /** Variables that the profile's own `env` may replace. */
  defaults: Readonly<Record<string, string>>;
  /** Variables that it may not replace: the program's own folders, and the hosts it calls. */
  env: Readonly<Record<string, string>>;
  args: readonly string[];
  /** Files that are written before the start, by absolute path; JSON and TOML go over what is there. */
  files: readonly SettingsFile[];
  /** The folder to which a profile's `home` is copied. */
  homeFolder: string;
  /** Why this program cannot do what its profile asks. */
  refusal?: string | undefined;
};

export type SettingsFile = { path: string } & (
  | { json: Readonly<Record<string, unknown>> }
  | { toml: Readonly<Record<string, unknown>> }
  | { text: string }
);
