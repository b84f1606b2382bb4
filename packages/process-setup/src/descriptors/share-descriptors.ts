/** How many things of each sort one process may have open: what is left is for its database, its bus, its store, and the programs that it starts. */
export type DescriptorShares = {
  /** Connections of clients. */
  connections: number;
  /** Uploads of clients under way, each with a file besides its connection. */
  uploads: number;
  /** Connections of agents, each with a file or a connection to somebody else behind it. */
  agentConnections: number;
};

const mostOfAll: DescriptorShares = { connections: 10_000, uploads: 4_096, agentConnections: 8_192 };

/** Shares out the descriptors of a process so that none of its callers can take those of the others (BX-32). */
export function shareDescriptors(limit: number): DescriptorShares {
  const part = (share: number, most: number) => Math.max(1, Math.min(most, Math.floor(limit * share)));
  return {
    connections: part(0.3, mostOfAll.connections),
    uploads: part(0.15, mostOfAll.uploads),
    agentConnections: part(0.15, mostOfAll.agentConnections),
  };
}
