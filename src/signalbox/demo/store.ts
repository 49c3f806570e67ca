// The examples in the database: one row, from the first time that they were asked for.
import { schedule } from '../../kernel/jobs/due-store.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    demo: { id: number; state: DemoState; made_at: number | null; loaded_at: number | null };
  }
}

/** Removed ones stay so, also where the server is started with `--demo` again. */
export type DemoState = 'loading' | 'present' | 'removing' | 'removed';

/** The kinds of due work, which all have the id of the first: they follow one another, and the last one counts. */
export const DEMO_RESET = 'demo.reset';
export const DEMO_LOAD = 'demo.load';
export const DEMO_REMOVAL = 'demo.remove';

export interface DemoRecord {
  state: DemoState;
  /** When all of it was there but what needs a server that listens. What has changed since, people have changed. */
  madeAt: number | undefined;
  /** When builds, runs and issues were there, too. */
  loadedAt: number | undefined;
}

export async function findDemo(db: Db): Promise<DemoRecord | undefined> {
  const row = await db.selectFrom('demo').selectAll().where('id', '=', 1).executeTakeFirst();
  return row && { state: row.state, madeAt: row.made_at ?? undefined, loadedAt: row.loaded_at ?? undefined };
}

/** False where they are there already, or will be, or are being removed. */
export async function beginDemo(db: Db): Promise<boolean> {
  const fresh: Omit<Tables['demo'], 'id'> = { state: 'loading', made_at: null, loaded_at: null };
  const row = await db
    .insertInto('demo')
    .values({ id: 1, ...fresh })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(fresh).where('demo.state', '=', 'removed'))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function upsertDemo(
  db: Db,
  { state, madeAt, loadedAt }: Pick<DemoRecord, 'state'> & Partial<DemoRecord>,
): Promise<void> {
  const row = { state, made_at: madeAt ?? null, loaded_at: loadedAt ?? null };
  await db
    .insertInto('demo')
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** Made, unless they are being removed. What is known of an earlier attempt stays. */
export async function updateMadeAt(db: Db, madeAt: number): Promise<void> {
  await db
    .updateTable('demo')
    .set(({ fn, val }) => ({ state: 'present', made_at: fn.coalesce('made_at', val(madeAt)) }))
    .where('state', 'in', ['loading', 'present'])
    .execute();
}

export async function updateLoadedAt(db: Db, loadedAt: number): Promise<void> {
  await db
    .updateTable('demo')
    .set({ loaded_at: loadedAt })
    .where('state', '=', 'present')
    .where('loaded_at', 'is', null)
    .execute();
}

/** False where there is nothing to remove, or it is not all there yet. */
export async function beginDemoRemoval(db: Db): Promise<boolean> {
  const row = await db
    .updateTable('demo')
    .set({ state: 'removing' })
    .where('id', '=', 1)
    .where('state', '=', 'present')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** What is planned takes the place of what was. */
export async function planDemoWork(
  db: Db,
  kind: typeof DEMO_RESET | typeof DEMO_LOAD | typeof DEMO_REMOVAL,
  now: number,
  earlier: 'keep' | 'move',
): Promise<void> {
  await schedule(db, { id: DEMO_RESET, kind, payload: '', dueAt: now }, now, earlier);
}

/** Why the last attempt has failed; it is tried again. */
export async function findDemoProblem(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('due').select('last_error').where('id', '=', DEMO_RESET).executeTakeFirst();
  return row?.last_error ?? undefined;
}
