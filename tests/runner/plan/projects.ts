/** A vitest project, and what it needs to run. */
export type Project = {
  name: string;
  /** Two lanes run at once: what keeps the processors busy, and what mostly waits for programs, servers and limits. */
  lane: 'busy' | 'waiting';
  /** It tests the sources alone, so that it can begin before anything is bundled, found or installed. */
  isPlain?: boolean;
  /** Its suites start whole stacks. */
  hasStacks?: boolean;
  /** `some` if each suite says what it needs, `all` of a hosted stack's servers else. */
  servers?: 'some' | 'all';
  /** Real programs of agents. */
  hasAgents?: boolean;
  /** A Python with a generator of clients, and oasdiff. A machine that lacks one leaves the project out, and says so. */
  hasClientTools?: boolean;
  /** Pages are opened in a Chromium. */
  hasBrowser?: boolean;
  /** Sandboxes of agents are made. */
  hasSandboxes?: boolean;
  /** It reads the whole tree, so that every change reaches it. */
  readsTree?: boolean;
  /** `npm test` leaves it out. */
  isLong?: boolean;
};

/** Every test project, cheap ones of each lane first. */
export const projects: readonly Project[] = [
  { name: 'unit', lane: 'busy', isPlain: true },
  { name: 'architecture', lane: 'busy', isPlain: true, readsTree: true },
  { name: 'spec', lane: 'busy', isPlain: true },
  { name: 'process', lane: 'busy', hasSandboxes: true },
  { name: 'int', lane: 'waiting', hasStacks: true, servers: 'some', hasSandboxes: true },
  { name: 'queries', lane: 'waiting', servers: 'some', isLong: true },
  { name: 'clients', lane: 'busy', hasStacks: true, hasClientTools: true, isLong: true },
  { name: 'long', lane: 'busy', hasStacks: true, servers: 'some', hasSandboxes: true, isLong: true },
  { name: 'e2e', lane: 'busy', hasStacks: true, hasSandboxes: true },
  { name: 'e2e-hosted', lane: 'waiting', hasStacks: true, servers: 'all', hasSandboxes: true },
  { name: 'browser', lane: 'waiting', hasStacks: true, hasBrowser: true },
  { name: 'hostile', lane: 'waiting', hasStacks: true },
  { name: 'agents', lane: 'waiting', hasStacks: true, servers: 'some', hasAgents: true, hasSandboxes: true },
  { name: 'faults', lane: 'waiting', hasStacks: true },
  { name: 'faults-hosted', lane: 'waiting', hasStacks: true, servers: 'all', hasSandboxes: true },
];

/** The servers of a hosted stack. */
export const stackServers = ['postgres', 'nats', 'minio'] as const;

/** One run of a project: all of it, or some of it. */
export type ProjectRun = {
  project: Project;
  /** The name under which its times are kept. */
  name: string;
  /** Files to run; all of the project without it. */
  files?: readonly string[];
  /** Says which part of a project runs that draws it by chance. */
  environment?: Readonly<Record<string, string>>;
};
