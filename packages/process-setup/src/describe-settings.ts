import type { SettingTable } from './read-settings.ts';

/** A Markdown table of settings: name, type, default, secret, meaning. */
export function describeSettings(table: SettingTable): string {
  const rows = Object.entries(table).map(([name, setting]) => {
    const fallback = setting.isRequired ? 'required' : setting.defaultText ? `\`${setting.defaultText}\`` : '';
    const names = [name, ...setting.aliases].map((known) => `\`${known}\``).join(', ');
    return `| ${names} | ${setting.type.replaceAll('|', '\\|')} | ${fallback} | ${setting.isSecret ? 'yes' : ''} | ${setting.meaning} |`;
  });
  return ['| name | type | default | secret | meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}
