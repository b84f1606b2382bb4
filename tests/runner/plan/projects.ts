/** A vitest project, and what it needs to run. */
export type Project = {
  name: string;
  /** `some` where each suite says what it needs, `all` of a hosted stack's servers else. */
  servers?: 'some' | 'all';
  /** Real programs of agents. */
  hasAgents?: boolean;
  /** A Python with a generator of clients, and oasdiff. A machine that lacks one leaves the project out, and says so. */
  hasClientTools?: boolean;
  /** Sandboxes of agents are made. */
  hasSandboxes?: boolean;
  /** It reads the whole tree, so that every change reaches it. */
  readsTree?: boolean;
  /** `npm test` leaves it out. */
  isLong?: boolean;
};

/** Every test project, cheap ones first. */
export const projects: readonly Project[] = [
  { name: 'unit' },
  { name: 'architecture', readsTree: true },
  { name: 'spec' },
  { name: 'process', hasSandboxes: true },
  { name: 'int', servers: 'some', hasSandboxes: true },
  { name: 'queries', servers: 'some', isLong: true },
  { name: 'clients', hasClientTools: true, isLong: true },
  { name: 'e2e', hasSandboxes: true },
  { name: 'e2e-hosted', servers: 'all', hasSandboxes: true },
  { name: 'hostile' },
  { name: 'agents', servers: 'some', hasAgents: true, hasSandboxes: true },
  { name: 'faults' },
  { name: 'faults-hosted', servers: 'all', hasSandboxes: true },
];

/** What a hosted stack runs on. */
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
