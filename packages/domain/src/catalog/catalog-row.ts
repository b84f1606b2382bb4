import type { AttachmentKind, Capability, Evidence, KindCapability, Transport, TriState } from '@attache/contracts';

export type CarriedKind = Exclude<AttachmentKind, 'unsupported'>;
export const carriedKinds: readonly CarriedKind[] = ['image', 'document', 'text', 'audio', 'video'];

type KindLimits = Omit<KindCapability, 'transport' | 'model' | 'mimeTypes' | 'alters' | 'evidence'>;

/** What a transport does with one kind. Without `mimeTypes` it makes no difference between types. */
export type CarriedWay = KindLimits & {
  carried: TriState;
  mimeTypes?: readonly string[];
  /** What shows that the program makes other bytes of images that a plan sends it. */
  alters?: Evidence;
};

/** What one way to a model carries. A row without evidence is not a row (DL-100). */
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
  /** What shows that the program's own tools read a file whose path `attachment_file` told; absent where nothing does. */
  readsFiles?: Evidence;
  evidence: Evidence;
};

/** What a model does with one kind. */
export type TakenKind = KindLimits & { taken: TriState; mimeTypes?: readonly string[] };

/** What the models of a provider understand, by name. */
export type ModelRow = {
  provider: string;
  /** A model's exact name, or the start of one followed by `*`. */
  modelPattern: string;
  kinds: Record<CarriedKind, TakenKind>;
  maxRequestBytes?: Capability['maxRequestBytes'];
  evidence: Evidence;
};

/** What is known of transports and models, as data. A new model is one row. */
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
