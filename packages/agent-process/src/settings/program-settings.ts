/** What a program is given beside its command, so that it does for one agent what its profile says. */
export type ProgramSettings = {
  /** What the profile's own `env` may replace. */
  defaults: Readonly<Record<string, string>>;
  /** What it may not: where the program keeps its things, and whom it calls. */
  env: Readonly<Record<string, string>>;
  args: readonly string[];
  /** Files that are written before the start, by absolute path; JSON and TOML go over what is there. */
  files: readonly SettingsFile[];
  /** Where a profile's `home` is copied to. */
  homeFolder: string;
  /** Why this program cannot do what its profile asks. */
  refusal?: string | undefined;
};

export type SettingsFile = { path: string } & (
  | { json: Readonly<Record<string, unknown>> }
  | { toml: Readonly<Record<string, unknown>> }
  | { text: string }
);
