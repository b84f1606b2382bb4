/** Makes a login that may all that the services may together, for suites of all of them. */
export const describeServiceLogin = ({ user, password }: { user: string; password: string }): string =>
  `create role ${user} login noinherit password '${password}' in role attache_app, attache_worker;
   alter role ${user} set statement_timeout = '15s'; alter role ${user} set lock_timeout = '5s';
   alter role ${user} set idle_in_transaction_session_timeout = '30s'; alter role ${user} set random_page_cost = 1.1`;
