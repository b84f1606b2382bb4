import { expect, it } from 'vitest';
import { describeSettings } from './describe-settings.ts';
import { integer, oneOf, originList, text } from './setting.ts';

it('settings are described as a table: type, default, whether secret, meaning', () => {
  const table = {
    ATTACHE_PORT: integer({ default: '0', min: 0, max: 9, meaning: 'A port.' }),
    ATTACHE_MODE: oneOf(['a', 'b'], { meaning: 'A mode.' }),
    ATTACHE_LIST: originList({ default: '', meaning: 'A list.' }),
    ATTACHE_SECRET: text({ isSecret: true, meaning: 'A secret.' }),
  };
  expect(describeSettings(table).split('\n').slice(2)).toEqual([
    '| `ATTACHE_PORT` | whole number, 0 to 9 | `0` |  | A port. |',
    '| `ATTACHE_MODE` | a \\| b |  |  | A mode. |',
    '| `ATTACHE_LIST` | list of origins, separated by commas |  |  | A list. |',
    '| `ATTACHE_SECRET` | text |  | yes | A secret. |',
  ]);
});
