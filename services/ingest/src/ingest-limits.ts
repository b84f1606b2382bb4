/** The number of event streams that may be open in one process at a time. 0: no limit. */
export type StreamLimits = { perKey: number; perTenant: number };

/** Limits of one process for all tenants together, at a time. */
export type IngestBounds = {
  /** HTTP connections. */
  connections: number;
  /** Uploads under way: each has a file besides its connection. */
  uploads: number;
};

/** How long ingest waits, if not as long as the constants at each use say: for tests that wait. */
export type IngestLimits = {
  /** Between two signs of life of an event stream, at which its credential is looked at again. */
  heartbeatMs?: number | undefined;
  /** For the inspection of a file that a message names. */
  inspectionMs?: number | undefined;
  /** For a program that was not yet asked what it carries. */
  probeMs?: number | undefined;
  /** For the headers of a request. */
  headersMs?: number | undefined;
  /** The window in which a body must keep the lowest rate. */
  slowBodyMs?: number | undefined;
  /** For the rest of a refused body. */
  refusedBodyMs?: number | undefined;
};
