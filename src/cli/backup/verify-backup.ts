// The command `backup verify`: reads every byte of a backup, and names what is broken.
import { openBackup } from '../../app/backup/places.ts';
import { findBroken } from '../../app/backup/verify-backup.ts';
import type { LoadedSettings } from '../../app/read-settings.ts';
import { EXIT } from '../command-errors.ts';
import { printJson, wantsJson, type Io } from '../io.ts';
import { Progress } from '../progress.ts';
import { passphraseOf, type ArchiveOptions } from './open-archive.ts';

export async function runBackupVerify(
  { config }: LoadedSettings,
  from: string,
  options: ArchiveOptions & { json?: boolean },
  io: Io,
): Promise<number> {
  const opened = await openBackup(config, from, {
    passphrase: passphraseOf(options, config),
    backup: options.backup,
  });
  const { reader, manifest } = opened;
  const progress = new Progress(io);
  try {
    const broken: string[] = [];
    for await (const sentence of findBroken(opened, (text) => progress.update(text))) broken.push(sentence);
    progress.end();
    const { id, release, createdAt, engine, tables, blobs, repositories } = manifest;
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const facts = {
      id,
      release,
      createdAt,
      engine,
      rows,
      blobs: blobs.count,
      repositories: repositories.repositories,
    };
    if (wantsJson(options, io)) printJson(io, { ...facts, isWhole: broken.length === 0, broken });
    else if (broken.length === 0)
      io.out(`Whole: release ${release}, made at ${createdAt}, ${rows} rows, ${blobs.count} large objects.`);
    else io.out(broken.join('\n'));
    return broken.length === 0 ? EXIT.good : EXIT.failed;
  } finally {
    await reader.close();
  }
}
