// What needs the attention of those who administer the server: a pause after a restore, late work, and disks that fill.
import { findPause } from '../../kernel/backup/backup-store.ts';
import type { Searcher } from '../search/source.ts';
import type { Cause } from './model.ts';
import { findLateWork } from './store-causes.ts';

/** On the account. No `view…`, because readers may view everything. */
const ADMINISTER_SERVER = 'administerServer';

const LATE_MS = 5 * 60 * 1000;
const LEAST_FREE = 0.1;

function administers({ can }: Pick<Searcher, 'can'>): boolean {
  return can('acct', ADMINISTER_SERVER);
}

export async function findServerCauses(searcher: Searcher): Promise<Cause[]> {
  if (!administers(searcher)) return [];
  const paused = await findPaused(searcher);
  // What waits is late on purpose then.
  return [...(paused ?? (await findLate(searcher))), ...findFullDisks(searcher)];
}

async function findPaused({ db }: Searcher): Promise<Cause[] | undefined> {
  const pause = await findPause(db);
  if (pause === undefined) return undefined;
  return [
    {
      id: `paused-${pause.since}`,
      kind: 'paused',
      urgency: 'waiting',
      title: 'This server is paused after a restore',
      reason:
        'No schedule, run, webhook or planned change happens until somebody says that this server is the one to go on.',
      at: pause.since,
      action: { label: 'Resume it', path: 'account/system' },
    },
  ];
}

async function findLate({ db, now }: Searcher): Promise<Cause[]> {
  const late = await findLateWork(db, now - LATE_MS);
  if (late === undefined) return [];
  return [
    {
      id: 'late-work',
      kind: 'late-work',
      urgency: 'failing',
      title: 'Background work is late',
      reason: 'Work has been due for more than five minutes, and no worker has done it.',
      at: late.since,
      count: late.count,
      action: { label: 'Look at the system', path: 'account/system' },
    },
  ];
}

function findFullDisks({ kernel, now }: Searcher): Cause[] {
  return kernel.disk
    .listSpace()
    .filter(({ totalBytes, freeBytes }) => freeBytes < totalBytes * LEAST_FREE)
    .map(({ names, totalBytes, freeBytes }) => ({
      id: `disk-${names.join('-')}`,
      kind: 'disk',
      urgency: 'failing',
      title: `The disk of ${names.join(', ')}`,
      reason: `${Math.floor((freeBytes / totalBytes) * 100)} % of it are free.`,
      at: now,
      action: { label: 'Look at the system', path: 'account/system' },
    }));
}
