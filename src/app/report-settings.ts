// The settings with their values and where these come from, without secrets: for the command line and for the Signalbox API.
import type { Quota } from '../kernel/limits/window.ts';
import { maskPasswords } from '../kernel/text/mask-passwords.ts';
import type { SettingInForce } from '../signalbox/system/settings-model.ts';
import { optionName, SETTING_NAMES, SETTINGS, type Config, type SettingName } from './config.ts';
import type { LoadedSettings } from './read-settings.ts';

export interface SettingReport {
  name: SettingName;
  /** Absent for secrets. */
  flag?: string;
  env: string;
  description: string;
  default: string;
  value: string;
  source: string;
}

export function reportSettings({ config, sources }: LoadedSettings): SettingReport[] {
  return SETTING_NAMES.map((name) => {
    const { env, describe, default: usual, otherwise, isSecret } = SETTINGS[name];
    return {
      name,
      ...(isSecret ? {} : { flag: optionName(name) }),
      env,
      description: describe,
      default: otherwise ?? usual ?? '',
      value: formatValue(config, name),
      source: sources[name],
    };
  });
}

/** Those that a running server uses; `port` is the one that it listens on. */
export function settingsInForce(settings: LoadedSettings, port: string): SettingInForce[] {
  const { config, sources } = settings;
  return reportSettings(settings).map(({ name, value, ...report }) => {
    const isSecret = SETTINGS[name].isSecret === true;
    const isSet = config[name] !== undefined;
    return {
      ...report,
      name,
      isSecret,
      isSet,
      ...(isSet && !isSecret && { value: name === 'port' ? port : value }),
      source: sources[name],
    };
  });
}

/** The value as written on the command line, with secrets masked. */
function formatValue(config: Config, name: SettingName): string {
  const value = config[name];
  if (value === undefined) return '';
  if (SETTINGS[name].isSecret) return '***';
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object') return maskPasswords(String(value));
  return Object.entries(value)
    .map(([key, { known, anonymous, seconds }]: [string, Quota]) => `${key}=${known}:${anonymous}/${seconds}`)
    .join(',');
}
