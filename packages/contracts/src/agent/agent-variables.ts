/** Names of the two variables that a child gets (AT-24). In a file of its own: who needs nothing else starts at once. */
export const AGENT_SOCKET_VARIABLE = 'ATTACHE_AGENT_SOCKET';
export const AGENT_TOKEN_VARIABLE = 'ATTACHE_AGENT_TOKEN';
