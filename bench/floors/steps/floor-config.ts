/** The settings of a floor program: the servers that the product uses too, and a folder for its files. */
export type FloorConfig = {
  databaseUrl: string;
  natsUrl: string;
  store: StorePlace;
  folder: string;
  /** Argument array of the agent that a delivery is written to. */
  agentCommand: readonly string[];
};

export type StorePlace = { endpoint: string; accessKey: string; secretKey: string; bucket: string };

/** The configuration from the program's one argument. */
export function readFloorConfig(): FloorConfig {
  const [text] = process.argv.slice(2);
  if (text === undefined) throw new Error('A floor program gets its configuration as JSON in its one argument.');
  return JSON.parse(text);
}
