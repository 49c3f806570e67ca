// The backups that the server makes itself: in a thread of their own, into the place that the settings name.
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { listBackups, openBackups, type ListedBackup } from '../../kernel/backup/folder-archive.ts';
import type { BackupManifest } from '../../kernel/backup/manifest.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Logger } from '../../kernel/observability/log.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { threadFile, ThreadRunner } from '../../kernel/threads/thread-runner.ts';
import type { BackupFacts, ServerBackups } from '../../signalbox/backups/server-backups.ts';
import type { Config } from '../config.ts';
import { isBucket } from '../setting.ts';
import type { BackupTask, FromBackupThread, ToBackupThread } from './backup-thread.ts';
import { backupsOf } from '../data-places.ts';
import { openObjectPlace } from './places.ts';
import { describeSource, whileLeased } from './backup-source.ts';

const THREAD = threadFile('backup-thread', import.meta.url);
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
/** Of the newest ones. */
const MAX_LISTED = 200;

export function openServerBackups(
  config: Config,
  { engine, clock, log }: { engine: Engine; clock: Clock; log: Pick<Logger, 'warn'> },
): ServerBackups {
  const to = backupsOf(config);
  const threads = new ThreadRunner<BackupTask, FromBackupThread, ToBackupThread>(THREAD, {
    megabytes: 256,
    idleMs: 0,
    maxAtOnce: 3,
    maxWaiting: 10,
    refusal: 'Several backups are being read already; try again in a minute.',
  });
  const facts = new BoundedCache<string, BackupFacts>({ max: 2 * MAX_LISTED });
  let opened: ReturnType<typeof openBackups> | undefined;

  /** The last message of the task. */
  async function perform(
    task: BackupTask,
    onProgress: (text: string, bytes: number) => void,
    signal: AbortSignal,
  ): Promise<FromBackupThread> {
    const channel = await threads.open(() => task, { signal });
    try {
      for (;;) {
        const message = await channel.receive();
        if (!('progress' in message)) return message;
        onProgress(message.progress, message.bytes);
      }
    } finally {
      await channel.close();
    }
  }

  async function read(place: Awaited<ReturnType<typeof openObjectPlace>>, one: ListedBackup) {
    const known = facts.get(one.name);
    if (known !== undefined) return known;
    opened ??= openBackups(place, config.backupPassphrase);
    const { read: reader } = await opened.catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    const found = factsOf((await reader(one).manifest()) as BackupManifest);
    facts.set(one.name, found);
    return found;
  }

  return {
    place: to.replace(/\?.*$/, ''),
    isBucket: isBucket(to),
    isEncrypted: config.backupPassphrase !== undefined,
    isOnDataDisk: !isBucket(to) && deviceOf(to) === deviceOf(config.data),
    everyMs: config.backupHours * HOUR,
    keptMs: config.backupDays * DAY,

    async list() {
      const place = await openObjectPlace(config, to);
      const newest = (await listBackups(place)).slice(-MAX_LISTED).reverse();
      const items: BackupFacts[] = [];
      for (const one of newest)
        items.push(
          await read(place, one).catch((error: unknown): BackupFacts => {
            const { id, createdAt, isRowsOnly } = one;
            const why = error instanceof Failure ? error.message : 'It cannot be read.';
            return { id, createdAt: Date.parse(createdAt), isRowsOnly, broken: why };
          }),
        );
      return items;
    },

    async has(id) {
      const place = await openObjectPlace(config, to);
      return (await listBackups(place)).some((one) => one.id === id);
    },

    async create(id, onProgress, signal) {
      const createdAt = new Date(clock.now()).toISOString();
      const order = { id, createdAt, withSecretKey: config.backupPassphrase !== undefined };
      const source = await describeSource(engine);
      await whileLeased(
        engine,
        id,
        () => clock.now(),
        () => perform({ kind: 'create', config, source, order }, onProgress, signal),
      );
      if (config.backupDays === 0) return { backups: 0, objects: 0 };
      const before = new Date(clock.now() - config.backupDays * DAY).toISOString();
      try {
        const message = await perform({ kind: 'prune', config, before }, onProgress, signal);
        return 'pruned' in message ? message.pruned : { backups: 0, objects: 0 };
      } catch (error) {
        // The backup is there; what is too old goes with the next.
        if (signal.aborted || !(error instanceof Failure)) throw error;
        log.warn({ err: error }, 'old backups could not be removed');
        return { backups: 0, objects: 0 };
      }
    },

    async verify(id, onProgress, signal) {
      const message = await perform({ kind: 'verify', config, backup: id }, onProgress, signal);
      return 'broken' in message ? message.broken : [];
    },

    async *download(id, signal) {
      const channel = await threads.open(() => ({ kind: 'download', config, backup: id }), { signal });
      try {
        for (;;) {
          const message = await channel.receive();
          if (!('chunk' in message)) return;
          yield message.chunk;
          channel.send('more');
        }
      } finally {
        await channel.close();
      }
    },

    close: () => threads.close(),
  };
}

function deviceOf(folder: string): number {
  return existsSync(folder) || dirname(folder) === folder ? statSync(folder).dev : deviceOf(dirname(folder));
}

function factsOf(manifest: BackupManifest): BackupFacts {
  const { id, createdAt, release, tables, blobs, repositories, isRowsOnly = false, secretKey } = manifest;
  return {
    id,
    createdAt: Date.parse(createdAt),
    release,
    isRowsOnly,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    blobs: blobs.count,
    repositories: repositories.repositories,
    bytes:
      blobs.bytes +
      repositories.bytes +
      tables.reduce((sum, { parts }) => sum + parts.reduce((total, { size }) => total + size, 0), 0),
    hasSecretKey: secretKey.content !== undefined,
  };
}
