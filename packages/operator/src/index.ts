export * from './call-operator-socket.ts';
export * from './ensure-init-tenant.ts';
export type { OperatorDeps } from './operator-deps.ts';
export { operatorSocketPath } from './operator-socket-path.ts';
export * from './run-operator-command.ts';
export * from './serve-operator-socket.ts';
