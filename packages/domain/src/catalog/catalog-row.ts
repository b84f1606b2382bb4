import type { AttachmentKind, Capability, Evidence, KindCapability, Transport, TriState } from '@attache/contracts';

export type CarriedKind = Exclude<AttachmentKind, 'unsupported'>;
export const carriedKinds: readonly CarriedKind[] = ['image', 'document', 'text', 'audio', 'video'];

type KindLimits = Omit<KindCapability, 'transport' | 'model' | 'mimeTypes' | 'alters' | 'evidence'>;

/** How a transport carries one kind. Without `mimeTypes` it carries all types alike. */
export type CarriedWay = KindLimits & {
  carried: TriState;
  mimeTypes?: readonly string[];
  /** Evidence that the program re-encodes images that a plan sends it. */
  alters?: Evidence;
};

/** The abilities of one way to a model. A row without evidence is not a row (DL-100). */
export type TransportRow = {
  transport: Transport;
  /** File name of the agent's program, where one protocol has programs that differ. */
  program?: string;
  /** Providers for which the row holds; all without it. */
  providers?: readonly string[];
  kinds: Record<CarriedKind, CarriedWay>;
  embeddedContext: TriState;
  /** It was seen that what the row says is carried reaches the model. */
  forwardsNative: boolean;
  tools: TriState;
  /** Evidence that the program's own tools read a file at a path that `attachment_file` gave; absent if there is none. */
  readsFiles?: Evidence;
  evidence: Evidence;
};

/** How a model takes one kind. */
export type TakenKind = KindLimits & { taken: TriState; mimeTypes?: readonly string[] };

/** The abilities of a provider's models, by name. */
export type ModelRow = {
  provider: string;
  /** A model's exact name, or the start of one followed by `*`. */
  modelPattern: string;
  kinds: Record<CarriedKind, TakenKind>;
  maxRequestBytes?: Capability['maxRequestBytes'];
  evidence: Evidence;
};

/** All known abilities of transports and models, as data. A new model is one row. */
export type Catalog = {
  /** Raised with every change of a row. */
  version: string;
  transports: readonly TransportRow[];
  models: readonly ModelRow[];
};

/** The kind has no way. */
export const notCarried: CarriedWay = { carried: 'no' };

/** Text goes into the message whatever its media type. */
export const asText: CarriedWay = { carried: 'yes' };

export const notTaken: TakenKind = { taken: 'no' };
export const notKnown: TakenKind = { taken: 'unknown' };
