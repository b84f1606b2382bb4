import { homedir } from 'node:os';
import { parseArgs } from 'node:util';

// The SDK's own limit of 32 MiB does not hold a file of 25 MiB in base64.
const RAISED_LINE_BYTES = 256 * 1024 * 1024;

export type Config = {
  /** Folder of the agent's own record. */
  home: string;
  /** `example-text` takes nothing but text; any other takes images, PDF and sound too. */
  model: 'example-vision' | 'example-text';
  /** Undefined leaves the SDK's limit. */
  maxMessageBytes: number | undefined;
  environmentNames: readonly string[];
  /** The agent's behaviour at its start: values other than `serve` are for tests of a gateway. */
  start: 'serve' | 'exit' | 'garbage';
};

export function readConfig(args: string[] = process.argv.slice(2), environment = process.env): Config {
  const { values } = parseArgs({
    args,
    options: {
      'default-line-limit': { type: 'boolean', default: false },
      'exit-before-initialize': { type: 'boolean', default: false },
      garbage: { type: 'boolean', default: false },
    },
  });
  return {
    home: environment.HOME ?? homedir(),
    model: environment.ATTACHE_EXAMPLE_MODEL === 'example-text' ? 'example-text' : 'example-vision',
    maxMessageBytes: values['default-line-limit'] ? undefined : RAISED_LINE_BYTES,
    environmentNames: Object.keys(environment).sort(),
    start: values['exit-before-initialize'] ? 'exit' : values.garbage ? 'garbage' : 'serve',
  };
}
