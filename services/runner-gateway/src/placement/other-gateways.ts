import type { OtherGateway } from '@attache/database';

/** The room of the other gateways, as the last renewal of the lease reported it. */
export type OtherGateways = {
  learn(others: readonly OtherGateway[]): void;
  all(): readonly OtherGateway[];
  /** Those that serve a tenant and have the program of a profile; undefined: of any. */
  offering(tenantId: string, profile: string | undefined): readonly OtherGateway[];
  /** One of them with room: as a rule the one that has the most. */
  withRoom(tenantId: string, profile: string | undefined): OtherGateway | undefined;
  /** An agent goes there, before it says so itself. */
  noteSent(gateway: OtherGateway): void;
};

export function createOtherGateways(): OtherGateways {
  let present: OtherGateway[] = [];
  const offering: OtherGateways['offering'] = (tenantId, profile) =>
    present.filter(
      ({ onlyTenant, programs }) =>
        (onlyTenant === undefined || onlyTenant === tenantId) && (profile === undefined || programs.includes(profile)),
    );
  return {
    learn(others) {
      present = others.map((other) => ({ ...other }));
    },
    all: () => present,
    offering,
    withRoom: (tenantId, profile) =>
      offering(tenantId, profile)
        .filter(({ room }) => room > 0)
        .toSorted((a, b) => b.room - a.room)[0],
    noteSent({ incarnation }) {
      const gateway = present.find((one) => one.incarnation === incarnation);
      if (gateway) gateway.room -= 1;
    },
  };
}
