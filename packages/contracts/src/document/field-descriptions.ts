import { accessFields, queryFields, sharedFields } from './fields-of-all.ts';
import { attachmentFields, deliveryFields, eventFields } from './fields-of-deliveries.ts';

/** What fields mean, by their name, or by the named schema and the fields on the way to it. */
export const fieldDescriptions: Readonly<Record<string, string>> = {
  ...sharedFields,
  ...queryFields,
  ...accessFields,
  ...attachmentFields,
  ...deliveryFields,
  ...eventFields,
};
