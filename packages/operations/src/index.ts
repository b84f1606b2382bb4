export { describeSettings } from './describe-settings.ts';
export {
  type Environment,
  readSettings,
  type SettingTable,
  type SettingValues,
  warnOfUnknown,
} from './read-settings.ts';
export { type DependencyCheck, type OperationsServer, serveOperations } from './serve-operations.ts';
export { httpUrl, integer, list, oneOf, type Setting, text } from './setting.ts';
