// Revisions of environments: raised with each change, and read by the nodes that serve SDKs. ADR 0041.
import { buildOnce } from '../../kernel/storage/build-once.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { DeliveryItemRow, ItemKind } from './tables.ts';

/** The channel on which nodes are notified of new revisions. */
export const DELIVERY = 'flags-delivery';

export interface ChangedItem {
  projectKey: string;
  /** Undefined for all environments of the project. */
  environmentKey: string | undefined;
  kind: ItemKind;
  key: string;
}

/**
 * Locks the rows until the commit, so that the revisions of an environment rise in the order of commits. They are the last
 * rows that a change locks, in the order of their ids: no deadlock.
 */
export function raiseRevisions(db: Db, projectKey: string, environmentKey: string | undefined): SqlStatement {
  return environmentKey === undefined
    ? raiseOfProject(db, projectKey)
    : raiseOfEnvironment(db, projectKey, environmentKey);
}

export function upsertItem(db: Db, { projectKey, environmentKey, kind, key }: ChangedItem): SqlStatement {
  return environmentKey === undefined
    ? upsertOfProject(db, projectKey, kind, key)
    : upsertOfEnvironment(db, projectKey, environmentKey, kind, key);
}

const raiseOfProject = buildOnce((db, projectKey: string) => raise(db, environmentsOf(db, projectKey)));
const raiseOfEnvironment = buildOnce((db, projectKey: string, environmentKey: string) =>
  raise(db, environmentsOf(db, projectKey).where('environments.key', '=', environmentKey)),
);
const upsertOfProject = buildOnce((db, projectKey: string, kind: string, key: string) =>
  upsert(db, environmentsOf(db, projectKey), kind, key),
);
const upsertOfEnvironment = buildOnce(
  (db, projectKey: string, environmentKey: string, kind: string, key: string) =>
    upsert(db, environmentsOf(db, projectKey).where('environments.key', '=', environmentKey), kind, key),
);

type Environments = ReturnType<typeof environmentsOf>;

function environmentsOf(db: Db, projectKey: string) {
  return db
    .selectFrom('environments')
    .innerJoin('projects', 'projects.id', 'environments.project_id')
    .where('projects.key', '=', projectKey)
    .orderBy('environments.id');
}

function raise(db: Db, environments: Environments) {
  return db
    .insertInto('delivery_revisions')
    .columns(['environment_id', 'revision'])
    .expression(environments.select((eb) => ['environments.id', eb.lit(1).as('revision')]))
    .onConflict((conflict) =>
      conflict
        .column('environment_id')
        .doUpdateSet((eb) => ({ revision: eb('delivery_revisions.revision', '+', 1) })),
    );
}

function upsert(db: Db, environments: Environments, kind: string, key: string) {
  return db
    .insertInto('delivery_items')
    .columns(['environment_id', 'kind', 'key', 'revision'])
    .expression(
      environments
        .innerJoin('delivery_revisions', 'delivery_revisions.environment_id', 'environments.id')
        .select((eb) => [
          'environments.id',
          eb.val(kind).as('kind'),
          eb.val(key).as('key'),
          'delivery_revisions.revision',
        ]),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['environment_id', 'kind', 'key'])
        .doUpdateSet((eb) => ({ revision: eb.ref('excluded.revision') })),
    );
}

/** The revisions of the environments that still exist, by id. */
export async function listRevisions(db: Db, environmentIds: readonly string[]): Promise<Map<string, number>> {
  if (environmentIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('environments')
    .leftJoin('delivery_revisions', 'delivery_revisions.environment_id', 'environments.id')
    .select(['environments.id', 'delivery_revisions.revision'])
    .where('environments.id', 'in', environmentIds)
    .execute();
  return new Map(rows.map(({ id, revision }) => [id, revision ?? 0]));
}

export type DeliveryItem = Pick<DeliveryItemRow, 'kind' | 'key' | 'revision'>;

/** What has changed after a revision, in the order of the last change of each. */
export async function listItemsSince(
  db: Db,
  environmentId: string,
  revision: number,
): Promise<DeliveryItem[]> {
  return await db
    .selectFrom('delivery_items')
    .select(['kind', 'key', 'revision'])
    .where('environment_id', '=', environmentId)
    .where('revision', '>', revision)
    .orderBy('revision')
    .execute();
}
