/** What `attache start` takes as a service of the hosted stack. */
export const hostedServices = ['ingest', 'projector', 'runner-gateway'] as const;

export type HostedService = (typeof hostedServices)[number];
