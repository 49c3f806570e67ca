// Apps and their public keys in the database. The private keys are not here: only the apps have them.
import type { Selectable } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { HookContentType } from '../hooks/hook.ts';
import type { AppHook, AppUrls, HostApp } from './app.ts';
import type { AppPermissions } from './permissions.ts';
import type { HostAppRow } from './tables.ts';

type NewApp = Omit<HostApp, 'number' | 'rightsRevision' | 'lostRights' | 'createdAt' | 'updatedAt'> & {
  clientSecretHash: string | null;
};

/** Two apps with the same slug wait for each other. */
export async function lockAppSlug(tx: Db, slug: string): Promise<void> {
  await lockName(tx, `host-apps:${slug}`);
}

export async function insertApp(tx: Db, app: NewApp, now: number): Promise<HostApp> {
  const row = await tx
    .insertInto('host_apps')
    .values({
      slug: app.slug,
      client_id: app.clientId,
      owner_id: app.ownerId,
      bot_id: app.botId,
      client_secret_hash: app.clientSecretHash,
      ...columnsOf(app),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return appFrom(row);
}

export async function updateApp(tx: Db, app: HostApp, now: number): Promise<HostApp> {
  const row = await tx
    .updateTable('host_apps')
    .set({
      ...columnsOf(app),
      rights_revision: app.rightsRevision,
      lost_rights: JSON.stringify(app.lostRights),
      updated_at: now,
    })
    .where('number', '=', app.number)
    .returningAll()
    .executeTakeFirstOrThrow();
  return appFrom(row);
}

export interface AppKeyHashes {
  publicKey: string;
  clientSecretHash: string;
  /** Sealed; null where bodies are not signed. */
  hookSecret: string | null;
}

function columnsOf(app: Omit<NewApp, 'slug' | 'clientId' | 'ownerId' | 'botId' | 'clientSecretHash'>) {
  const { hook } = app;
  return {
    name: app.name,
    description: app.description,
    external_url: app.externalUrl,
    is_public: app.isPublic ? 1 : 0,
    permissions: JSON.stringify(app.permissions),
    events: JSON.stringify(app.events),
    urls: JSON.stringify(app.urls),
    hook_url: hook.url,
    hook_active: hook.isActive ? 1 : 0,
    hook_content_type: hook.contentType,
    hook_insecure_ssl: hook.insecureSsl ? 1 : 0,
    hook_secret: hook.secret,
  };
}

export async function updateClientSecret(tx: Db, number: number, hash: string, now: number): Promise<void> {
  await tx
    .updateTable('host_apps')
    .set({ client_secret_hash: hash, updated_at: now })
    .where('number', '=', number)
    .execute();
}

/** Nobody finds it from then on. */
export async function updateAppDeleted(tx: Db, number: number, now: number): Promise<void> {
  await tx
    .updateTable('host_apps')
    .set({ deleted_at: now, client_secret_hash: null, hook_secret: null, hook_active: 0 })
    .where('number', '=', number)
    .execute();
}

/** Those of the apps that are not deleted. */
export async function listLivingApps(db: Db, numbers: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .selectFrom('host_apps')
    .select('number')
    .where('number', 'in', numbers)
    .where('deleted_at', 'is', null)
    .execute();
  return new Set(rows.map(({ number }) => number));
}

/** The apps of an account that ends get another owner. */
export function appOwnerStatement(db: Db, from: string, to: string): SqlStatement {
  return db.updateTable('host_apps').set({ owner_id: to }).where('owner_id', '=', from).compile();
}

/** Larger numbers are no app's, and PostgreSQL fails on them. */
const MAX_NUMBER = 2 ** 31 - 1;

export async function findApp(db: Db, number: number): Promise<HostApp | undefined> {
  if (!Number.isInteger(number) || number < 1 || number > MAX_NUMBER) return undefined;
  const row = await selectApps(db).where('number', '=', number).executeTakeFirst();
  return row && appFrom(row);
}

const SLUG = /^[a-z0-9-]{1,100}$/;

/** In whatever case. */
export async function findAppBySlug(db: Db, slug: string): Promise<HostApp | undefined> {
  if (!SLUG.test(slug.toLowerCase())) return undefined;
  const row = await selectApps(db).where('slug', '=', slug.toLowerCase()).executeTakeFirst();
  return row && appFrom(row);
}

const CLIENT_ID = /^Iv[0-9A-Za-z.]{1,60}$/;

export async function findAppByClientId(db: Db, clientId: string): Promise<HostApp | undefined> {
  if (!CLIENT_ID.test(clientId)) return undefined;
  const row = await selectApps(db).where('client_id', '=', clientId).executeTakeFirst();
  return row && appFrom(row);
}

/** By number; those that are gone are missing. */
export async function listAppsByNumber(db: Db, numbers: readonly number[]): Promise<Map<number, HostApp>> {
  if (numbers.length === 0) return new Map();
  const rows = await selectApps(db).where('number', 'in', numbers).execute();
  return new Map(rows.map((row) => [row.number, appFrom(row)]));
}

export async function listAppsOf(db: Db, ownerId: string, { offset, limit }: Slice): Promise<HostApp[]> {
  const rows = await selectApps(db)
    .where('owner_id', '=', ownerId)
    .orderBy('number')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(appFrom);
}

function selectApps(db: Db) {
  return db.selectFrom('host_apps').selectAll().where('deleted_at', 'is', null);
}

function appFrom(row: Selectable<HostAppRow>): HostApp {
  const hook: AppHook = {
    url: row.hook_url,
    isActive: row.hook_active === 1,
    contentType: row.hook_content_type as HookContentType,
    insecureSsl: row.hook_insecure_ssl === 1,
    secret: row.hook_secret,
  };
  return {
    number: row.number,
    slug: row.slug,
    clientId: row.client_id,
    ownerId: row.owner_id,
    botId: row.bot_id,
    name: row.name,
    description: row.description,
    externalUrl: row.external_url,
    isPublic: row.is_public === 1,
    permissions: JSON.parse(row.permissions) as AppPermissions,
    events: JSON.parse(row.events) as string[],
    urls: JSON.parse(row.urls) as AppUrls,
    hook,
    rightsRevision: row.rights_revision,
    lostRights: JSON.parse(row.lost_rights) as Record<string, number>,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export interface AppKey {
  number: number;
  /** PEM. */
  publicKey: string;
  createdAt: number;
}

/** Each is tried on a token that may be forged, so that there are few. */
export const MAX_APP_KEYS = 10;

export async function insertAppKey(
  tx: Db,
  appNumber: number,
  publicKey: string,
  now: number,
): Promise<AppKey> {
  const { number } = await tx
    .insertInto('host_app_keys')
    .values({ app_number: appNumber, public_key: publicKey, created_at: now })
    .returning('number')
    .executeTakeFirstOrThrow();
  return { number, publicKey, createdAt: now };
}

/** The newest first. */
export async function listAppKeys(db: Db, appNumber: number): Promise<AppKey[]> {
  return await db
    .selectFrom('host_app_keys')
    .select(['number', 'public_key as publicKey', 'created_at as createdAt'])
    .where('app_number', '=', appNumber)
    .orderBy('number', 'desc')
    .limit(MAX_APP_KEYS)
    .execute();
}

export async function deleteAppKey(tx: Db, number: number): Promise<void> {
  await tx.deleteFrom('host_app_keys').where('number', '=', number).execute();
}

export async function deleteAppKeys(tx: Db, appNumber: number): Promise<void> {
  await tx.deleteFrom('host_app_keys').where('app_number', '=', appNumber).execute();
}
