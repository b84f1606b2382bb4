/** The services of the hosted stack that `attache start` takes. */
export const hostedServices = ['ingest', 'projector', 'runner-gateway'] as const;

export type HostedService = (typeof hostedServices)[number];
