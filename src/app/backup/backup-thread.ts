// The thread that makes, checks and copies backups beside the server, whose calls do not wait for it.
import { pruneBackups } from '../../kernel/backup/folder-archive.ts';
import type { ByteSink } from '../../kernel/backup/file-archive.ts';
import type { BackupManifest } from '../../kernel/backup/manifest.ts';
import { serveTasks, type TaskPort } from '../../kernel/threads/serve-tasks.ts';
import type { Config } from '../config.ts';
import { copyBackup } from './copy-backup.ts';
import { backupsOf } from '../data-places.ts';
import { openBackup, openBackupWriter, openObjectPlace } from './places.ts';
import { findBroken } from './verify-backup.ts';
import type { BackupSource } from './backup-source.ts';
import { writeBackup, type BackupOrder } from './write-backup.ts';

export type BackupTask = { config: Config } & (
  | { kind: 'create'; source: BackupSource; order: BackupOrder }
  | { kind: 'verify' | 'download'; backup: string }
  /** Backups that were made before are removed. */
  | { kind: 'prune'; before: string }
);

export type FromBackupThread =
  | { progress: string; bytes: number }
  | { chunk: Uint8Array }
  | { created: BackupManifest }
  | { broken: string[] }
  | { pruned: { backups: number; objects: number } }
  | { end: true };

/** One more chunk may come. */
export type ToBackupThread = 'more';

type Port = TaskPort<FromBackupThread, ToBackupThread>;

/** How many chunks wait to be sent at most. */
const CHUNKS_AHEAD = 8;
const REPORT_MS = 500;
const MAX_BROKEN = 100;

serveTasks<BackupTask, FromBackupThread, ToBackupThread>(async (task, port) => {
  const { config } = task;
  const place = backupsOf(config);
  const passphrase = config.backupPassphrase;
  const report = reporterOf(port);
  if (task.kind === 'create') {
    const writer = await openBackupWriter(config, asShared(place), passphrase);
    try {
      const manifest = await writeBackup(config, task.source, task.order, writer, ({ text, bytesRead }) =>
        report(text, bytesRead),
      );
      port.send({ created: manifest });
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  } else if (task.kind === 'prune') {
    const pruned = await pruneBackups(await openObjectPlace(config, place), {
      passphrase,
      before: task.before,
    });
    port.send({ pruned });
  } else {
    const opened = await openBackup(config, asShared(place), { passphrase, backup: task.backup });
    if (task.kind === 'verify') {
      const broken: string[] = [];
      for await (const sentence of findBroken(opened, report))
        if (broken.length < MAX_BROKEN) broken.push(sentence);
      port.send({ broken });
    } else {
      await copyBackup(opened, await openBackupWriter(config, sinkOf(port), passphrase));
      port.send({ end: true });
    }
  }
});

/** A folder that is not there yet, too. */
function asShared(place: string): string {
  return place.startsWith('s3:') ? place : `${place}/`;
}

function reporterOf(port: Port): (text: string, bytes: number) => void {
  let saidAt = 0;
  return (text, bytes) => {
    const now = performance.now();
    if (now - saidAt < REPORT_MS) return;
    saidAt = now;
    port.send({ progress: text, bytes });
  };
}

function sinkOf(port: Port): ByteSink {
  let room = CHUNKS_AHEAD;
  let go = () => {};
  port.onMessage(() => {
    room += 1;
    go();
  });
  return {
    async write(bytes) {
      while (room === 0) await new Promise<void>((resolve) => (go = resolve));
      room -= 1;
      // A copy of these bytes alone, which may be a small part of their memory.
      const chunk = new Uint8Array(bytes);
      port.send({ chunk }, [chunk.buffer]);
    },
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  };
}
