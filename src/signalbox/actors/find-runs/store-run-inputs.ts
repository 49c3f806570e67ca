// The inputs of the newest runs, in the database.
import type { JobStatus } from '../../../actors/jobs/job.ts';
import type { RunOrigin } from '../../../actors/jobs/job-meta.ts';
import type { Encoding } from '../../../actors/key-value-stores/model.ts';
import type { RecordContent } from '../../../actors/key-value-stores/store.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { newestOf, type KindOfRun, type RunSearchScope } from './store-find-runs.ts';

/** A run with the record of its input, where that is still there. */
export interface RunInput extends KindOfRun {
  id: string;
  startedAt: number;
  storeId: string;
  input: (RecordContent & { size: number }) | undefined;
}

export interface InputPage {
  /** Where the last page ended. */
  before: Pick<RunInput, 'startedAt' | 'id'> | undefined;
  limit: number;
}

/** Newest first. */
export async function listRunInputs(
  db: Db,
  scope: RunSearchScope,
  { before, limit }: InputPage,
): Promise<RunInput[]> {
  const rows = await newestOf(db, scope)
    .$if(before !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('started_at', 'id'), '<', tuple(before!.startedAt, before!.id)),
      ),
    )
    .leftJoin('kv_records as input', (join) =>
      join.onRef('input.store_id', '=', 'runs.store_id').onRef('input.key', '=', 'runs.input_key'),
    )
    .select(['input.content_encoding', 'input.size', 'input.body', 'input.blob'])
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    status: row.status as JobStatus,
    origin: row.origin as RunOrigin,
    build: row.build_number,
    startedAt: row.started_at,
    storeId: row.store_id,
    input:
      row.size === null
        ? undefined
        : {
            size: row.size,
            encoding: row.content_encoding as Encoding | null,
            ...(row.blob === null ? { body: row.body ?? new Uint8Array() } : { blob: row.blob }),
          },
  }));
}
