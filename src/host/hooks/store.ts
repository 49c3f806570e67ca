// Webhooks in the database. The webhook of an app is part of the app's row, and takes the form that all webhooks have.
import type { Selectable } from 'kysely';
import { lockName } from '../../kernel/storage/locks.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { HostApp } from '../apps/app.ts';
import { findApp } from '../apps/store.ts';
import type { Hook, HookContentType, LastResponse, StoredHookTarget } from './hook.ts';
import type { HookRow } from './tables.ts';

/** Changes of the hooks of one place wait for each other. */
export async function lockHooks(tx: Db, target: StoredHookTarget): Promise<void> {
  await lockName(tx, `host-hooks:${JSON.stringify(target)}`);
}

export type NewHook = Pick<Hook, 'targetNumber' | 'isActive' | 'events' | 'config'> & {
  target: StoredHookTarget;
};

/** It hears of what happens from now on. */
export async function insertHook(tx: Db, hook: NewHook, now: number): Promise<Hook> {
  const { last } = await tx
    .selectFrom('host_events')
    .select(({ fn }) => fn.max('number').as('last'))
    .executeTakeFirstOrThrow();
  const row = await tx
    .insertInto('host_hooks')
    .values({
      repository_number: 'repository' in hook.target ? hook.target.repository : null,
      organization_id: 'organization' in hook.target ? hook.target.organization : null,
      target_number: hook.targetNumber,
      ...columnsOf(hook),
      after_event: last ?? 0,
      last_status: 'unused',
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return hookFrom(row);
}

export async function updateHook(tx: Db, hook: Hook, now: number): Promise<Hook> {
  const row = await tx
    .updateTable('host_hooks')
    .set({ ...columnsOf(hook), updated_at: now })
    .where('number', '=', hook.number)
    .returningAll()
    .executeTakeFirstOrThrow();
  return hookFrom(row);
}

function columnsOf({ isActive, events, config }: Pick<Hook, 'isActive' | 'events' | 'config'>) {
  return {
    is_active: isActive ? 1 : 0,
    events: JSON.stringify(events),
    url: config.url,
    content_type: config.contentType,
    insecure_ssl: config.insecureSsl ? 1 : 0,
    secret: config.secret,
  };
}

/** What came of the last delivery. */
export function lastResponseStatement(
  db: Db,
  number: number,
  { code, status, message }: LastResponse,
): SqlStatement {
  return db
    .updateTable('host_hooks')
    .set({ last_code: code, last_status: status, last_message: message })
    .where('number', '=', number)
    .compile();
}

export async function deleteHook(tx: Db, number: number): Promise<void> {
  await tx.deleteFrom('host_hooks').where('number', '=', number).execute();
}

export async function findHook(db: Db, number: number): Promise<Hook | undefined> {
  const row = await db.selectFrom('host_hooks').selectAll().where('number', '=', number).executeTakeFirst();
  return row && hookFrom(row);
}

/** In the order in which they were created. */
export async function listHooks(db: Db, target: StoredHookTarget, slice?: Slice): Promise<Hook[]> {
  const rows = await selectHooks(db, target)
    .selectAll()
    .orderBy('number')
    .$if(slice !== undefined, (query) => query.limit(slice!.limit).offset(slice!.offset))
    .execute();
  return rows.map(hookFrom);
}

export async function countHooks(db: Db, target: StoredHookTarget): Promise<number> {
  const { count } = await selectHooks(db, target)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

function selectHooks(db: Db, target: StoredHookTarget) {
  const hooks = db.selectFrom('host_hooks');
  return 'repository' in target
    ? hooks.where('repository_number', '=', target.repository)
    : hooks.where('organization_id', '=', target.organization);
}

/** The hooks that are on, of a repository and of organizations. */
export async function listActiveHooks(
  db: Db,
  repository: number | undefined,
  organizationIds: readonly string[],
): Promise<Hook[]> {
  const active = () => db.selectFrom('host_hooks').selectAll().where('is_active', '=', 1);
  const [ofRepository, ofOrganizations] = await Promise.all([
    repository === undefined ? [] : active().where('repository_number', '=', repository).execute(),
    organizationIds.length === 0 ? [] : active().where('organization_id', 'in', organizationIds).execute(),
  ]);
  return [...ofRepository, ...ofOrganizations].map(hookFrom);
}

function hookFrom(row: Selectable<HookRow>): Hook {
  return {
    number: row.number,
    target:
      row.repository_number === null
        ? { organization: row.organization_id! }
        : { repository: row.repository_number },
    targetNumber: row.target_number,
    isActive: row.is_active === 1,
    events: JSON.parse(row.events) as string[],
    config: {
      url: row.url,
      contentType: row.content_type as HookContentType,
      insecureSsl: row.insecure_ssl === 1,
      secret: row.secret,
    },
    afterEvent: row.after_event,
    lastResponse: { code: row.last_code, status: row.last_status, message: row.last_message },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const BRANCH = 'refs/heads/';

/** The names of the branches that end with a commit, in order, by what was last recorded of them. */
export async function listBranchesAt(db: Db, number: number, oid: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('host_refs')
    .select('name')
    .where('repository_number', '=', number)
    .where('name', '>=', BRANCH)
    // The character after the slash.
    .where('name', '<', 'refs/heads0')
    .where('oid', '=', oid)
    .orderBy('name')
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name.slice(BRANCH.length));
}

/** Its number is the app's. One without an address is not active. */
export function hookOfApp(app: HostApp): Hook {
  const { url, isActive, contentType, insecureSsl, secret } = app.hook;
  return {
    number: app.number,
    target: { app: app.number },
    targetNumber: app.number,
    isActive: isActive && url !== null,
    events: [...app.events],
    config: { url: url ?? '', contentType, insecureSsl, secret },
    afterEvent: 0,
    lastResponse: { code: null, status: 'unused', message: null },
    createdAt: app.createdAt,
    updatedAt: app.updatedAt,
  };
}

export async function findAppHook(db: Db, appNumber: number): Promise<Hook | undefined> {
  const app = await findApp(db, appNumber);
  return app && hookOfApp(app);
}
