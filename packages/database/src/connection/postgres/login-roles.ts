/** The login of each kind of process, and of the commands of operators. */
export const loginOf = {
  ingest: 'attache_ingest',
  projector: 'attache_projector',
  gateway: 'attache_gateway',
  operator: 'attache_operator',
} as const;

type Login = (typeof loginOf)[keyof typeof loginOf];

/** The roles that each login may take: first the one inside a tenant, then the one for control tables. The functions of `connection` choose among them. */
export const rolesOfLogin: Readonly<Record<Login, readonly string[]>> = {
  attache_ingest: ['attache_ingest_app'],
  attache_projector: ['attache_projector_app', 'attache_projector_worker'],
  attache_gateway: ['attache_gateway_app', 'attache_gateway_worker'],
  attache_operator: ['attache_operator_app', 'attache_worker'],
};

/** The roles of a login of any other name, which has those of all services at once. */
export const rolesOfOther = ['attache_app', 'attache_worker'] as const;
