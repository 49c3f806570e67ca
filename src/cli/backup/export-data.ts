// The command `export`: a backup in one file, for data that is to go on elsewhere.
import type { LoadedSettings } from '../../app/read-settings.ts';
import type { Io } from '../io.ts';
import { findServer } from '../running-server.ts';
import { runBackup, type BackupOptions } from './create-backup.ts';

export async function runExport(
  settings: LoadedSettings,
  to: string | undefined,
  options: BackupOptions,
  io: Io,
): Promise<number> {
  if ((await findServer(settings.config.data)) !== undefined)
    io.err('A server runs on this data: what it writes from now on is not in the export.');
  const place = to ?? `signalbox-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.export`;
  return await runBackup(settings, place, options, io);
}
