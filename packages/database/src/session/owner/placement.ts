/** A gateway's statement of which agents it can run, made with each renewal of its lease. */
export type Placement = {
  /** How many more agents it can run now. Not above zero: those that come wait. */
  room: number;
  /** Names of the profiles whose programs it has. */
  programs: readonly string[];
  /** Uuid of the one tenant that it serves; absent: it serves all. */
  onlyTenant?: string | undefined;
  /** Uuids of the tenants that wait here because they run as many agents as they may, wherever these run. */
  atLimit: readonly string[];
};

/** Another gateway that renews its lease and takes sessions. */
export type OtherGateway = Placement & { replicaId: string; incarnation: string };
