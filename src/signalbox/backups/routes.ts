// Backups of this server for administrators: listed, made, checked and downloaded; and the end of the pause after a restore.
import { randomUUID } from 'node:crypto';
import {
  findBackupRun,
  insertBackupRun,
  listBackupRuns,
  lockBackupRuns,
  type BackupRunKind,
} from '../../kernel/backup/backup-run-store.ts';
import { deletePause, findPause, PAUSE_CHANNEL } from '../../kernel/backup/backup-store.ts';
import type { Change } from '../../kernel/change/change.ts';
import { Failure } from '../../kernel/failure.ts';
import { reply, route, Stream, type Call } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { ADMINISTER_SERVER, SERVER_RESOURCE } from '../system/access.ts';
import { BackupRun, Backups, toBackup, toBackupRun } from './model.ts';
import { isUnfinished } from './work.ts';

const HOUR = 60 * 60 * 1000;
const access = { action: ADMINISTER_SERVER };
const params = Type.Object({ id: Type.String({ maxLength: 100 }) });

const listBackups = route(
  {
    id: 'listBackups',
    method: 'GET',
    path: '/backups',
    summary: 'List the backups that the server has made',
    description:
      'Those in the place that the settings name, and what was made and checked lately. A backup that is made has the state ' +
      '`running`, and says how far it is.',
    access,
    reply: { 200: Backups },
  },
  async (call, { db, services: { backups } }) => {
    call.requirePermission(SERVER_RESOURCE);
    const runs = await listBackupRuns(db);
    const { items, problem } = await backups
      .list()
      .then((found) => ({ items: found, problem: undefined }))
      .catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        return { items: [], problem: error.kind === 'not-found' ? undefined : error.message };
      });
    const last = runs.find(({ kind }) => kind === 'backup');
    return {
      place: backups.place,
      isEncrypted: backups.isEncrypted,
      isOnDataDisk: backups.isOnDataDisk,
      everyHours: backups.everyMs / HOUR,
      keptDays: backups.keptMs / (24 * HOUR),
      ...(backups.everyMs > 0 && {
        nextAt: last === undefined ? call.now : last.created_at + backups.everyMs,
      }),
      ...(problem !== undefined && { problem }),
      runs: runs.map(toBackupRun),
      items: items.map(toBackup),
    };
  },
);

const getBackupRun = route(
  {
    id: 'getBackupRun',
    method: 'GET',
    path: '/backups/runs/{id}',
    summary: 'Get how far the making or the check of a backup is',
    access,
    params,
    reply: { 200: BackupRun },
  },
  async (call, { db }) => {
    call.requirePermission(SERVER_RESOURCE);
    const run = await findBackupRun(db, call.params.id);
    if (run === undefined) throw new Failure('not-found', 'There is no such run of a backup.');
    return toBackupRun(run);
  },
);

const createBackup = route(
  {
    id: 'createBackup',
    method: 'POST',
    path: '/backups',
    summary: 'Make a backup now',
    description:
      'A node that does background work makes it, while everything goes on. One is made at a time.',
    access,
    createsLater: true,
    reply: { 202: BackupRun },
  },
  async (call, kernel) => {
    call.requirePermission(SERVER_RESOURCE);
    return await begin(call, kernel, 'backup', randomUUID());
  },
);

const verifyBackup = route(
  {
    id: 'verifyBackup',
    method: 'POST',
    path: '/backups/{id}/verify',
    summary: 'Read every byte of a backup, and say what is broken',
    access,
    params,
    createsLater: true,
    reply: { 202: BackupRun },
  },
  async (call, kernel) => {
    call.requirePermission(SERVER_RESOURCE);
    await requireBackup(kernel, call.params.id);
    return await begin(call, kernel, 'verify', call.params.id);
  },
);

const downloadBackup = route(
  {
    id: 'downloadBackup',
    method: 'GET',
    path: '/backups/{id}/download',
    summary: 'Download a backup as one file',
    description:
      'The file can be restored by itself. It is encrypted where the backups are. A browser takes a link of `POST /links`, ' +
      'which is good for a minute.',
    access,
    params,
    produces: 'application/octet-stream',
    reply: { 200: Type.String() },
  },
  async (call, kernel) => {
    call.requirePermission(SERVER_RESOURCE);
    const { id } = call.params;
    await requireBackup(kernel, id);
    // Whoever has the file has everything: who has taken it stands in the audit log.
    await kernel.changes.run(call, (tx) => {
      tx.record({ ...ENTRY, name: id, verb: 'downloaded the backup' });
      return Promise.resolve();
    });
    return new Stream(kernel.services.backups.download(id, call.signal), {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="signalbox-${id}.backup"`,
    });
  },
);

const resumeServer = route(
  {
    id: 'resumeServer',
    method: 'POST',
    path: '/system/resume',
    summary: 'Let a restored server go on',
    description:
      'After a restore no schedule, run, webhook or planned change happens until somebody says that this server is the one to ' +
      'go on, because the one that was backed up may still be there.',
    access,
    reply: { 200: Type.Object({ wasPaused: Type.Boolean() }) },
  },
  async (call, { changes, engine }) => {
    call.requirePermission(SERVER_RESOURCE);
    const wasPaused = await changes.run(call, async (tx) => {
      if (!(await deletePause(tx.db))) return false;
      tx.record({ ...ENTRY, kind: 'server', name: 'server', verb: 'resumed after a restore the' });
      return true;
    });
    if (wasPaused) await engine.notify(PAUSE_CHANNEL);
    return { wasPaused };
  },
);

const ENTRY: Pick<Change, 'accesses' | 'kind'> = {
  accesses: [{ action: ADMINISTER_SERVER, resource: SERVER_RESOURCE }],
  kind: 'backup',
};

async function requireBackup({ services: { backups } }: Kernel, id: string): Promise<void> {
  if (!(await backups.has(id))) throw new Failure('not-found', 'There is no such backup.');
}

async function begin(call: Call, { changes, db }: Kernel, kind: BackupRunKind, backupId: string) {
  if ((await findPause(db)) !== undefined)
    throw new Failure(
      'conflict',
      'The server is paused after a restore, and makes no backups: resume it first.',
    );
  const run = await changes.run(call, async (tx) => {
    await lockBackupRuns(tx.db);
    if ((await listBackupRuns(tx.db)).some(isUnfinished))
      throw new Failure('conflict', 'A backup is being made or checked already: wait until it has ended.');
    const verb = kind === 'backup' ? 'began to make the backup' : 'began to check the backup';
    tx.record({ ...ENTRY, name: backupId, verb });
    return await insertBackupRun(tx.db, { kind, backupId, memberId: call.caller.member.id, now: call.now });
  });
  return reply(202, toBackupRun(run));
}

export const backupRoutes = [
  listBackups,
  getBackupRun,
  createBackup,
  verifyBackup,
  downloadBackup,
  resumeServer,
];
