/** The facts about an agent that an operator's wrapper gets. Paths are the same inside as outside. */
export type WrapperDescription = {
  /** The agent's own folder, which it may write. */
  folder: string;
  /** The folder in which the program starts. */
  workFolder: string;
  /** The paths that it has to read: its program, the bridge to its attachments, and the paths that the profile names. */
  readOnly: readonly string[];
  /** The part of those that it must not read: it is the platform's alone. */
  hidden: readonly string[];
  /** The unix socket of its attachments; undefined where it has none. */
  socket: string | undefined;
  /** The TCP port on the gateway's loopback where its model API is; undefined where it has none. */
  relayPort: number | undefined;
  memoryBytes: number | undefined;
  pids: number | undefined;
  /** Names of all variables of its environment. Their values are in the wrapper's own. */
  environment: readonly string[];
};

type Placeholder = (description: WrapperDescription, descriptionFile: string) => readonly (string | number)[];

const one = (value: string | number | undefined) => (value === undefined ? [] : [value]);

const placeholders: Readonly<Record<string, Placeholder>> = {
  folder: ({ folder }) => [folder],
  work: ({ workFolder }) => [workFolder],
  readOnly: ({ readOnly }) => readOnly,
  hidden: ({ hidden }) => hidden,
  socket: ({ socket }) => one(socket),
  relayPort: ({ relayPort }) => one(relayPort),
  memoryBytes: ({ memoryBytes }) => one(memoryBytes),
  pids: ({ pids }) => one(pids),
  environment: ({ environment }) => environment,
  description: (_description, file) => [file],
};

const PLACEHOLDER = /\{([A-Za-z]+)\}/g;

/**
 * The arguments of a wrapper. One that holds a placeholder is repeated for each of its values, and left out where there is none. Twice in one
 * argument it is the same value twice.
 */
export function composeWrapper(
  command: readonly string[],
  description: WrapperDescription,
  descriptionFile: string,
): string[] {
  return command.flatMap((argument) => expand(argument, description, descriptionFile));
}

/** A placeholder that is none, of a wrapper's command; undefined where all are. */
export function findUnknownPlaceholder(command: readonly string[]): string | undefined {
  return command.flatMap(listPlaceholders).find((name) => !Object.hasOwn(placeholders, name));
}

const listPlaceholders = (argument: string): string[] =>
  [...argument.matchAll(PLACEHOLDER)].map(([, name = '']) => name);

function expand(argument: string, description: WrapperDescription, file: string): string[] {
  let expanded = [argument];
  for (const name of new Set(listPlaceholders(argument))) {
    const values = placeholders[name]?.(description, file) ?? [`{${name}}`];
    expanded = expanded.flatMap((each) => values.map((value) => each.replaceAll(`{${name}}`, () => String(value))));
  }
  return expanded;
}
