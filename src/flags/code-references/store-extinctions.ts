// Extinctions in the database: commits that removed the last reference to a flag.
import { chunk } from '../../kernel/collections/chunk.ts';
import { newId } from '../../kernel/id.ts';
import type { Page, Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { pageRows } from '../store-rows.ts';

export interface Extinction {
  branchId: string;
  projectId: string;
  flagKey: string;
  revision: string;
  message: string;
  time: number;
}

/** What is known already is not inserted again. */
export async function insertExtinctions(
  tx: Db,
  branchId: string,
  extinctions: readonly Omit<Extinction, 'branchId'>[],
  now: number,
): Promise<number> {
  let count = 0;
  for (const some of chunk(extinctions, 500)) {
    const rows = some.map(({ projectId, flagKey, revision, message, time }) => ({
      id: newId(now),
      branch_id: branchId,
      project_id: projectId,
      flag_key: flagKey,
      revision,
      message,
      time,
    }));
    const made = await tx
      .insertInto('code_extinctions')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['branch_id', 'project_id', 'flag_key', 'revision']).doNothing(),
      )
      .returning('id')
      .execute();
    count += made.length;
  }
  return count;
}

export interface ExtinctionFilter {
  branchIds: readonly string[];
  /** Only of these projects, or of all but these. */
  projects?: { ids: readonly string[]; areHidden: boolean } | undefined;
  flagKey?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

/** The latest first. */
export async function listExtinctions(
  db: Db,
  { branchIds, projects, flagKey, from, to }: ExtinctionFilter,
  slice: Slice,
): Promise<Page<Extinction>> {
  const found = db
    .selectFrom('code_extinctions')
    .where('branch_id', 'in', branchIds)
    .$if(projects !== undefined, (query) =>
      query.where('project_id', projects!.areHidden ? 'not in' : 'in', projects!.ids),
    )
    .$if(flagKey !== undefined, (query) => query.where('flag_key', '=', flagKey!))
    .$if(from !== undefined, (query) => query.where('time', '>=', from!))
    .$if(to !== undefined, (query) => query.where('time', '<=', to!));
  const page = await pageRows(found, slice, (all) =>
    all.selectAll().orderBy('time', 'desc').orderBy('id', 'desc'),
  );
  return page.map((row) => ({
    branchId: row.branch_id,
    projectId: row.project_id,
    flagKey: row.flag_key,
    revision: row.revision,
    message: row.message,
    time: row.time,
  }));
}
