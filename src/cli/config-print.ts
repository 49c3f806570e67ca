// The command `config print`: every setting with the value that a start would use, and the one of a running server.
import type { SettingName } from '../app/config.ts';
import type { LoadedSettings } from '../app/read-settings.ts';
import { EXIT } from './command-errors.ts';
import { printJson, wantsJson, type Io, alignTable, markdownTable } from './io.ts';
import { findServer } from './running-server.ts';
import { reportSettings } from './settings.ts';

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
