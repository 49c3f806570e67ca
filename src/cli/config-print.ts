// The commands `config print` and `config explain`: every setting, or one, with the value that a start would use, and the one of a running server.
import { optionName, SETTING_NAMES, SETTINGS, type SettingName } from '../app/config.ts';
import type { LoadedSettings } from '../app/read-settings.ts';
import { Failure } from '../kernel/failure.ts';
import { closestWord } from '../kernel/text/did-you-mean.ts';
import { EXIT } from './command-errors.ts';
import { printJson, wantsJson, type Io, alignTable, markdownTable } from './io.ts';
import { findServer } from './running-server.ts';
import { reportSettings } from '../app/report-settings.ts';

export async function runConfigPrint(
  settings: LoadedSettings,
  options: { json?: boolean; markdown?: boolean },
  io: Io,
): Promise<number> {
  const inForce = (await findServer(settings.config.data))?.settings;
  const reports = reportSettings(settings).map((report) => ({
    ...report,
    ...(inForce !== undefined && { running: runningValue(inForce, report.name) }),
  }));
  if (options.markdown !== true && wantsJson(options, io)) {
    printJson(io, reports);
    return EXIT.good;
  }
  const rows = reports.map(({ flag, env, value, source, running, default: usual, description }) => [
    flag ?? '',
    env,
    value,
    source,
    ...(running === undefined ? [] : [running ?? 'unknown']),
    usual,
    description,
  ]);
  const head = [
    'Flag',
    'Environment',
    'Value',
    'From',
    ...(inForce ? ['Running'] : []),
    'Default',
    'Meaning',
  ];
  io.out((options.markdown === true ? markdownTable : alignTable)(head, rows));
  return EXIT.good;
}

/** Null where the running server is of another release and has no such setting. */
function runningValue(inForce: Record<string, string>, name: SettingName): string | null {
  return inForce[name] ?? null;
}

export async function runConfigExplain(
  settings: LoadedSettings,
  asked: string,
  options: { json?: boolean },
  io: Io,
): Promise<number> {
  const name = findSetting(asked);
  const report = reportSettings(settings).find((one) => one.name === name)!;
  const inForce = (await findServer(settings.config.data))?.settings;
  const running = inForce === undefined ? undefined : runningValue(inForce, name);
  if (wantsJson(options, io)) {
    printJson(io, { ...report, ...(running !== undefined && { running }) });
    return EXIT.good;
  }
  const { flag, env, value, source, default: usual, description } = report;
  const rows = [
    ['Flag', flag ?? 'none: it is a secret'],
    ['Environment', env],
    ['Settings file', SETTINGS[name].isSecret ? 'not there: it is a secret' : name],
    ['Default', usual],
    ['Value', `${value} (${source})`],
    ...(running === undefined ? [] : [['Running', running ?? 'unknown']]),
  ];
  io.out(`${description}.\n\n${rows.map(([title, text]) => `  ${title!.padEnd(15)}${text}`).join('\n')}`);
  return EXIT.good;
}

function findSetting(asked: string): SettingName {
  const names = new Map(
    SETTING_NAMES.flatMap((name) => [
      [name, name] as const,
      [optionName(name), name],
      [SETTINGS[name].env, name],
    ]),
  );
  const kebab = `--${asked.toLowerCase()}`;
  const found = names.get(asked) ?? names.get(asked.toUpperCase()) ?? names.get(kebab);
  if (found !== undefined) return found;
  const meant = closestWord(asked, [...names.keys()]);
  throw new Failure('invalid', `There is no setting "${asked}". Did you mean ${meant}?`);
}
