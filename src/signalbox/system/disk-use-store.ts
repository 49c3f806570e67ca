// What takes room on disk, by kind, and how much was used before, from which follows when a disk is full.
import type { Migration } from '../../kernel/storage/migrate.ts';
import type { Db } from '../../kernel/storage/tables.ts';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    /** With the kind `disk …` what is used of a file system, otherwise what one kind of data takes. */
    disk_samples: { node: string; kind: string; at: number; bytes: number; total_bytes: number | null };
  }
}

export const diskUseMigrations: Migration[] = [
  {
    name: 'signalbox-disk-samples',
    up: ({ text }) => [
      `create table disk_samples (
         node ${text} not null, kind ${text} not null, at bigint not null, bytes bigint not null, total_bytes bigint,
         primary key (node, kind, at))`,
      'create index disk_samples_at on disk_samples (at)',
    ],
  },
];

export interface DiskSample {
  kind: string;
  at: number;
  bytes: number;
  totalBytes?: number;
}

/** Those of earlier weeks go. */
export async function insertDiskSamples(
  db: Db,
  node: string,
  samples: readonly DiskSample[],
  before: number,
): Promise<void> {
  if (samples.length > 0)
    await db
      .insertInto('disk_samples')
      .values(
        samples.map(({ kind, at, bytes, totalBytes }) => ({
          node,
          kind,
          at,
          bytes,
          total_bytes: totalBytes ?? null,
        })),
      )
      .onConflict((conflict) => conflict.columns(['node', 'kind', 'at']).doNothing())
      .execute();
  await db.deleteFrom('disk_samples').where('at', '<', before).execute();
}

/** The oldest first. There are a few hundred for each node. */
export async function listDiskSamples(db: Db, node: string): Promise<DiskSample[]> {
  const rows = await db
    .selectFrom('disk_samples')
    .select(['kind', 'at', 'bytes', 'total_bytes'])
    .where('node', '=', node)
    .orderBy('kind')
    .orderBy('at')
    .limit(5000)
    .execute();
  return rows.map(({ kind, at, bytes, total_bytes: totalBytes }) => ({
    kind,
    at,
    bytes,
    ...(totalBytes !== null && { totalBytes }),
  }));
}
