// The settings on the command line: adds their flags to a command, reads them, and reports their values without secrets.
import { Option, type Command } from 'commander';
import { optionName, SETTING_NAMES, SETTINGS, type SettingName, type Config } from '../app/config.ts';
import { readSettings, readSettingsFile, type LoadedSettings } from '../app/read-settings.ts';
import { yesOrNo } from '../app/setting.ts';
import type { Quota } from '../kernel/limits/window.ts';
import { STARTED_AS, type Io } from './io.ts';
import { maskPasswords } from './command-errors.ts';

/** Every command takes these, before its name or after it. */
const GLOBAL: readonly SettingName[] = ['data', 'database'];

/** The first two are for clients, as `status --env` prints them. */
const NOT_SETTINGS = ['SIGNALBOX_URL', 'SIGNALBOX_TOKEN', STARTED_AS];

export function addGlobalFlags(program: Command): void {
  program.option('--config <file>', 'The settings file [default signalbox.json in the working folder]');
  for (const name of GLOBAL) program.addOption(optionOf(name));
}

/** All settings but the global ones and the secrets. */
export function addSettingFlags(command: Command): void {
  for (const name of SETTING_NAMES) {
    if (!GLOBAL.includes(name) && !SETTINGS[name].isSecret) command.addOption(optionOf(name));
  }
}

function optionOf(name: SettingName): Option {
  const { read, describe, env, default: usual, otherwise } = SETTINGS[name];
  // A boolean flag needs no value.
  const value = read === yesOrNo ? '[1|0]' : '<value>';
  const absent = otherwise ?? usual;
  const notes = [env, ...(absent ? [`default ${absent}`] : [])].join(', ');
  return new Option(`${optionName(name)} ${value}`, `${describe} [${notes}]`);
}

/** For commands with the flags of all settings. */
export function settingsOf(command: Command, io: Pick<Io, 'env'>): LoadedSettings {
  return readGiven(command, SETTING_NAMES, io);
}

/** For commands with the global flags alone, whose own options may share a name with a setting. */
export function globalSettingsOf(command: Command, io: Pick<Io, 'env'>): LoadedSettings {
  return readGiven(command, GLOBAL, io);
}

function readGiven(
  command: Command,
  names: readonly SettingName[],
  { env }: Pick<Io, 'env'>,
): LoadedSettings {
  const options = command.optsWithGlobals<
    { config?: string } & Partial<Record<SettingName, string | true>>
  >();
  const flags = names.map((name) => [name, options[name] === true ? '1' : options[name]] as const);
  const settings = Object.entries(env).filter(([name]) => !NOT_SETTINGS.includes(name));
  return readSettings({
    flags: Object.fromEntries(flags.filter(([, value]) => value !== undefined)),
    env: Object.fromEntries(settings),
    file: readSettingsFile(options.config),
  });
}

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
