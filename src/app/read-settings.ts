// Reads the settings from flags, the environment, the settings file and the defaults.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  optionName,
  SETTING_NAMES,
  SETTINGS,
  type Config,
  type Setting,
  type SettingName,
} from './config.ts';
import { Failure } from '../kernel/failure.ts';
import { closestWord } from '../kernel/text/did-you-mean.ts';
import { isBucket } from './setting.ts';

const ENV_PREFIX = 'SIGNALBOX_';

export type SettingSource = 'flag' | 'environment' | 'file' | 'default';

export type SettingSources = Record<SettingName, SettingSource>;

export interface LoadedSettings {
  config: Config;
  sources: SettingSources;
}

/** Texts by setting, from the command line or the file. */
export type SettingTexts = Partial<Record<string, string>>;

/** Flags take precedence over the environment, the environment over the file, the file over the defaults. */
export function readSettings({
  flags,
  env,
  file,
}: {
  flags: SettingTexts;
  env: NodeJS.ProcessEnv;
  file: SettingTexts;
}): LoadedSettings {
  const config: Record<string, unknown> = {};
  const sources = {} as SettingSources;
  refuseUnknown(Object.keys(file), 'in the settings file');
  refuseUnknownEnvironment(env);
  for (const name of SETTING_NAMES) {
    const setting: Setting = SETTINGS[name];
    const places: [SettingSource, string | undefined, string][] = [
      ['flag', setting.isSecret ? undefined : flags[name], optionName(name)],
      ['environment', env[setting.env] || undefined, setting.env],
      ['file', setting.isSecret ? undefined : file[name], `${name} in the settings file`],
      ['default', setting.default, name],
    ];
    const [source, given, place] =
      places.find(([, value]) => value !== undefined) ?? (['default', undefined, name] as const);
    sources[name] = source;
    if (given !== undefined) config[name] = readOne(setting, given, place);
  }
  const read = config as unknown as Config;
  if ((read.tlsCert === undefined) !== (read.tlsKey === undefined)) {
    throw new Failure('invalid', 'HTTPS needs both --tls-cert and --tls-key.');
  }
  const oidc = [read.oidcIssuer, read.oidcClientId, read.oidcClientSecret];
  if (oidc.includes(undefined) && oidc.some((value) => value !== undefined)) {
    throw new Failure(
      'invalid',
      'A login by an identity provider needs all of --oidc-issuer, --oidc-client-id and SIGNALBOX_OIDC_CLIENT_SECRET in the environment.',
    );
  }
  if (isBucket(read.blobs) && (read.s3AccessKey === undefined || read.s3SecretKey === undefined)) {
    throw new Failure(
      'invalid',
      'Large objects in object storage need AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.',
    );
  }
  return { config: read, sources };
}

function readOne({ read, isSecret, mayHoldPassword }: Setting, given: string, place: string): unknown {
  try {
    return read(given);
  } catch (error) {
    const shown = isSecret || mayHoldPassword ? 'the value given' : `"${given}"`;
    throw new Failure('invalid', `${place} must be ${(error as Error).message}, not ${shown}.`);
  }
}

function refuseUnknown(names: string[], where: string): void {
  for (const name of names) {
    if ((SETTING_NAMES as string[]).includes(name)) continue;
    throw new Failure(
      'invalid',
      `There is no setting "${name}" (${where}). Did you mean "${closestWord(name, SETTING_NAMES)}"?`,
    );
  }
}

function refuseUnknownEnvironment(env: NodeJS.ProcessEnv): void {
  const known = SETTING_NAMES.map((name) => SETTINGS[name].env);
  // Not all have the prefix, which is therefore left out of the comparison: PORT is meant by SIGNALBOX_PROT.
  const byRest = new Map(known.map((name) => [name.replace(ENV_PREFIX, ''), name]));
  for (const name of Object.keys(env)) {
    if (!name.startsWith(ENV_PREFIX) || known.includes(name)) continue;
    const meant = byRest.get(closestWord(name.slice(ENV_PREFIX.length), [...byRest.keys()]));
    throw new Failure('invalid', `There is no setting ${name}. Did you mean ${meant}?`);
  }
}

/** `signalbox.json` in the working folder, or the given file; an absent one is empty. */
export function readSettingsFile(path: string | undefined): SettingTexts {
  const file = path ?? join(process.cwd(), 'signalbox.json');
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    if (path === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Failure('invalid', `The settings file ${file} cannot be read: ${(error as Error).message}`);
  }
  try {
    const parsed = JSON.parse(content) as Record<string, unknown>;
    return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, String(value)]));
  } catch {
    throw new Failure('invalid', `The settings file ${file} is not valid JSON.`);
  }
}
