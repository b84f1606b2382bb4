export type { JetstreamBusOptions } from './jetstream/consumer-options.ts';
export { createNatsDoorbells } from './jetstream/doorbells.ts';
export { ensureTopology, type TopologyOptions } from './jetstream/ensure.ts';
export { createJetstreamEventBus } from './jetstream/event-bus.ts';
export { connectJetstream, type JetstreamLink, type JetstreamLinkOptions } from './jetstream/link.ts';
export { type NatsPermissions, natsPermissionsOf } from './jetstream/permissions.ts';
export { type RelayOptions, type RunningRelay, startRelay } from './jetstream/relay/relay.ts';
export { createRings, type Rings } from './jetstream/ring/rings.ts';
export { createNatsCounts } from './jetstream/shared-counts.ts';
