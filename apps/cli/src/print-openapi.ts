import { describeOpenApi } from '@attache/standalone';

/** Prints the OpenAPI document; nothing is started for it. */
export function printOpenApi(): void {
  process.stdout.write(`${JSON.stringify(describeOpenApi(), null, 2)}\n`);
}
