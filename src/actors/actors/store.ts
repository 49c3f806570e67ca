// Actors in the database.
import { sql, type Selectable } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import { newId } from '../../kernel/id.ts';
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { type ActorRef, MAX_ACTOR_NAME_LENGTH, findFreeName } from '../resource-names.ts';
import type { Actor, ActorDetails, DefaultRunOptions, PermissionLevel } from './model.ts';
import { insertActorUser } from './store-users.ts';
import type { ActorRow } from './tables.ts';

/** The fields that a create or an update sets. */
export interface ActorFields {
  name: string;
  title: string | null;
  description: string | null;
  isPublic: boolean;
  permissionLevel: PermissionLevel;
  runOptions: DefaultRunOptions;
  details: ActorDetails;
  /** The boundary of the token that saved the standby settings. */
  standbyBoundary?: string;
}

/** Locks the names and the number of an account's Actors until the transaction ends. */
export function lockActorNames(tx: Db, userId: string): Promise<void> {
  return lockName(tx, `actor-names:${userId}`);
}

/** The caller has called `lockActorNames` and checked that the name is free. */
export async function insertActor(tx: Db, userId: string, fields: ActorFields, now: number): Promise<Actor> {
  const row = await tx
    .insertInto('actors')
    .values({
      id: newId(now),
      user_id: userId,
      ...rowOf(fields),
      total_builds: 0,
      total_runs: 0,
      total_metamorphs: 0,
      last_run_started_at: 0,
      created_at: now,
      modified_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return actorFrom(row);
}

/** The expression of the index. Names are ASCII, which both engines fold alike. */
export const foldedActorName = sql<string>`lower(name)`;

const selectById = buildOnce((db, id: string) => db.selectFrom('actors').selectAll().where('id', '=', id));

const selectByName = buildOnce((db, userId: string, folded: string) =>
  db.selectFrom('actors').selectAll().where('user_id', '=', userId).where(foldedActorName, '=', folded),
);

export async function findActorById(db: Db, id: string): Promise<Actor | undefined> {
  const { rows } = await db.executeQuery(selectById(db, id));
  return rows[0] && actorFrom(rows[0]);
}

/** In whatever case. */
export async function findActorByName(db: Db, userId: string, name: string): Promise<Actor | undefined> {
  const { rows } = await db.executeQuery(selectByName(db, userId, name.toLowerCase()));
  return rows[0] && actorFrom(rows[0]);
}

/** The name itself or with a number appended, so that none of the accounts has it. */
export function findFreeActorName(tx: Db, userIds: readonly string[], name: string): Promise<string> {
  return findFreeName({ name, maxLength: MAX_ACTOR_NAME_LENGTH, firstNumber: 2 }, async (folded) => {
    const rows = await tx
      .selectFrom('actors')
      .select('name')
      .where('user_id', 'in', userIds)
      .where(foldedActorName, 'in', folded)
      .execute();
    return rows.map((row) => row.name);
  });
}

/** `callerId` is the owner where the reference has none. */
export async function findActor(db: Db, reference: ActorRef, callerId: string): Promise<Actor | undefined> {
  if ('idOrName' in reference) {
    const { idOrName } = reference;
    return (await findActorById(db, idOrName)) ?? (await findActorByName(db, callerId, idOrName));
  }
  const { name, owner } = reference;
  const userId = owner === undefined ? callerId : await findUserId(db, owner);
  return userId === undefined ? undefined : await findActorByName(db, userId, name);
}

/** By id or username. Ids win over usernames: nobody chooses an id, but a user may have chosen another's id as username. */
export async function findUserId(db: Db, owner: string): Promise<string | undefined> {
  const account = (await findAccount(db, { id: owner })) ?? (await findAccount(db, { username: owner }));
  return account?.id;
}

/** Locks the row until the transaction ends. */
export async function lockActor(tx: Db, id: string): Promise<Actor | undefined> {
  const row = await tx.selectFrom('actors').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  return row && actorFrom(row);
}

/** Keeps the Actor from being deleted until the transaction ends. False where it is deleted. */
export async function holdActor(tx: Db, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('actors')
    .select('id')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

type ActorSort = 'createdAt' | 'stats.lastRunStartedAt';

export async function listActors(
  db: Db,
  { userId, sortBy }: { userId: string; sortBy: ActorSort },
  { offset, limit }: Slice,
  desc: boolean,
): Promise<{ items: Actor[]; total: number }> {
  const order = desc ? 'desc' : 'asc';
  const rows = await db
    .selectFrom('actors')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy(sortBy === 'createdAt' ? 'created_at' : 'last_run_started_at', order)
    .orderBy('id', order)
    .limit(limit)
    .offset(offset)
    .execute();
  return { items: rows.map(actorFrom), total: await countActors(db, userId) };
}

export async function countActors(db: Db, userId: string): Promise<number> {
  const { total } = await db
    .selectFrom('actors')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return total;
}

export async function updateActor(tx: Db, id: string, fields: ActorFields, now: number): Promise<Actor> {
  const row = await tx
    .updateTable('actors')
    .set({ ...rowOf(fields), modified_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return actorFrom(row);
}

/** For a change of its versions. */
export async function touchActor(tx: Db, id: string, now: number): Promise<void> {
  await tx.updateTable('actors').set({ modified_at: now }).where('id', '=', id).execute();
}

/** With its versions and tags. */
export async function deleteActor(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('actors').where('id', '=', id).execute();
}

/** Throws where the Actor is deleted: a run that starts at the same time must not outlive it. */
export async function countRunStart(tx: Db, actorId: string, userId: string, now: number): Promise<void> {
  const [counted, known] = await executeAll(tx, [
    updateRunCount(tx, actorId, now),
    updateLastRun(tx, actorId, userId, now),
  ]);
  if (counted!.numAffectedRows === 0n) throw actorGone();
  if (known!.numAffectedRows === 0n) await insertActorUser(tx, actorId, userId, now);
}

const updateRunCount = buildOnce((db, actorId: string, now: number) =>
  db
    .updateTable('actors')
    .set((eb) => ({ total_runs: eb('total_runs', '+', 1), last_run_started_at: now }))
    .where('id', '=', actorId),
);

const updateLastRun = buildOnce((db, actorId: string, userId: string, now: number) =>
  db
    .updateTable('actor_users')
    .set({ last_run_at: now })
    .where('actor_id', '=', actorId)
    .where('user_id', '=', userId),
);

/** A run became one of this Actor. */
export async function countMetamorph(tx: Db, actorId: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('actors')
    .set((eb) => ({ total_metamorphs: eb('total_metamorphs', '+', 1) }))
    .where('id', '=', actorId)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw actorGone();
}

function actorGone(): Failure {
  return new Failure('not-found', 'The Actor was deleted meanwhile');
}

const MAX_BUILD_NUMBER = 99_999;

/** The number of a new build: 1 for the first of the version. Throws where the Actor is deleted. */
export async function takeBuildNumber(tx: Db, actorId: string, versionNumber: string): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('actors')
    .set((eb) => ({ total_builds: eb('total_builds', '+', 1) }))
    .where('id', '=', actorId)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw actorGone();
  const { last_build: number } = await tx
    .insertInto('actor_build_numbers')
    .values({ actor_id: actorId, version_number: versionNumber, last_build: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['actor_id', 'version_number'])
        .doUpdateSet((eb) => ({ last_build: eb('actor_build_numbers.last_build', '+', 1) })),
    )
    .returning('last_build')
    .executeTakeFirstOrThrow();
  if (number <= MAX_BUILD_NUMBER) return number;
  throw new Failure(
    'forbidden',
    `The version ${versionNumber} has had ${MAX_BUILD_NUMBER.toLocaleString('en')} builds, and more have no number: add a version.`,
    { code: 'limit-reached' },
  );
}

function rowOf(fields: ActorFields) {
  return {
    name: fields.name,
    title: fields.title,
    description: fields.description,
    is_public: fields.isPublic ? 1 : 0,
    permission_level: fields.permissionLevel,
    run_options: JSON.stringify(fields.runOptions),
    details: JSON.stringify(fields.details),
    boundary_id: fields.standbyBoundary ?? null,
  };
}

function actorFrom(row: Selectable<ActorRow>): Actor {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    title: row.title,
    description: row.description,
    isPublic: row.is_public === 1,
    permissionLevel: row.permission_level as PermissionLevel,
    runOptions: JSON.parse(row.run_options) as DefaultRunOptions,
    details: JSON.parse(row.details) as ActorDetails,
    totalBuilds: row.total_builds,
    totalRuns: row.total_runs,
    totalMetamorphs: row.total_metamorphs,
    totalUsers: row.total_users,
    lastRunStartedAt: row.last_run_started_at === 0 ? null : row.last_run_started_at,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
    ...(row.boundary_id !== null && { standbyBoundary: row.boundary_id }),
  };
}
