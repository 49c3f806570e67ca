// The settings on the command line: adds their flags to a command, and reads them.
import { Option, type Command } from 'commander';
import { optionName, SETTING_NAMES, SETTINGS, type SettingName } from '../app/config.ts';
import { readSettings, readSettingsFile, type LoadedSettings } from '../app/read-settings.ts';
import { yesOrNo } from '../app/setting.ts';
import { STARTED_AS, type Io } from './io.ts';

/** Every command takes these, before its name or after it. */
const GLOBAL: readonly SettingName[] = ['data', 'database'];

/** The first three are for clients, as `status --env` prints them. */
const NOT_SETTINGS = ['SIGNALBOX_URL', 'SIGNALBOX_TOKEN', 'SIGNALBOX_PROFILE', STARTED_AS];

export function addGlobalFlags(program: Command): void {
  program.option('--config <file>', 'The settings file [default ./signalbox.json]');
  for (const name of GLOBAL) program.addOption(optionOf(name));
}

/** All settings but the global ones and the secrets. */
export function addSettingFlags(command: Command): void {
  for (const name of SETTING_NAMES) {
    if (GLOBAL.includes(name) || SETTINGS[name].isSecret) continue;
    command.addOption(optionOf(name));
    // What is on by default is switched off without a value.
    if (SETTINGS[name].read === yesOrNo && SETTINGS[name].default === '1')
      command.addOption(
        new Option(optionName(name).replace('--', '--no-'), `The same as ${optionName(name)} 0`).hideHelp(),
      );
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

function textOf(given: string | boolean | undefined): string | undefined {
  return typeof given === 'boolean' ? String(Number(given)) : given;
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
    { config?: string } & Partial<Record<SettingName, string | boolean>>
  >();
  const flags = names.map((name) => [name, textOf(options[name])] as const);
  const settings = Object.entries(env).filter(([name]) => !NOT_SETTINGS.includes(name));
  return readSettings({
    flags: Object.fromEntries(flags.filter(([, value]) => value !== undefined)),
    env: Object.fromEntries(settings),
    file: readSettingsFile(options.config),
  });
}
