// Changes apps and their secrets, inside a transaction with the audit entry.
import type { Change } from '../../kernel/change/change.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { appResource, type HostApp } from './app.ts';
import { fingerprintOf } from './app-keys.ts';
import { withRights, type AppRights } from './rights.ts';
import { findApp, lockAppSlug, updateApp, updateClientSecret } from './store.ts';
import { deleteAppKey, insertAppKey, listAppKeys, MAX_APP_KEYS, type AppKey } from './store-keys.ts';

type AppName = Pick<HostApp, 'slug' | 'number'>;
type AppFields = Partial<Pick<HostApp, 'description' | 'externalUrl' | 'isPublic' | 'urls' | 'hook'>>;

/** As it is now; others who change it wait until the transaction ends. */
export async function lockApp(tx: Db, { slug, number }: AppName): Promise<HostApp> {
  await lockAppSlug(tx, slug);
  const app = await findApp(tx, number);
  if (app === undefined) throw appNotFound();
  return app;
}

export function appNotFound(): Failure {
  return new Failure('not-found', 'There is no such app');
}

/** Its name and its owner stay. Installations lose at once what it does not ask for any more. */
export async function changeApp(
  tx: ChangeTransaction,
  name: AppName,
  change: (app: HostApp) => AppFields & { rights?: AppRights },
): Promise<HostApp> {
  const before = await lockApp(tx.db, name);
  const { rights, ...fields } = change(before);
  const wanted = { ...before, ...fields };
  const after = await updateApp(tx.db, rights ? withRights(wanted, rights) : wanted, tx.actor.now);
  tx.record({
    ...appChange('updateApp', after, 'changed the app'),
    before: auditedApp(before),
    after: auditedApp(after),
  });
  await tx.invalidate(IDENTITY);
  return after;
}

export async function createAppKey(tx: ChangeTransaction, name: AppName, publicKey: string): Promise<AppKey> {
  const app = await lockApp(tx.db, name);
  checkKeyCount(await listAppKeys(tx.db, app.number));
  const key = await insertAppKey(tx.db, app.number, publicKey, tx.actor.now);
  tx.record({ ...appChange('updateApp', app, 'added a private key to the app'), after: auditedKey(key) });
  return key;
}

/** Also before a key is generated, which takes a while. */
export function checkKeyCount(keys: readonly AppKey[]): void {
  if (keys.length >= MAX_APP_KEYS)
    throw new Failure('invalid', `An app has at most ${MAX_APP_KEYS} private keys. Revoke one first.`);
}

/** Tokens that are signed with it are refused from then on. The last one stays: nobody could act as the app. */
export async function removeAppKey(tx: ChangeTransaction, name: AppName, number: number): Promise<void> {
  const app = await lockApp(tx.db, name);
  const keys = await listAppKeys(tx.db, app.number);
  const key = keys.find((one) => one.number === number);
  if (key === undefined) throw new Failure('not-found', 'The app has no such key.');
  if (keys.length === 1)
    throw new Failure('invalid', 'This is the only private key of the app. Make another one first.');
  await deleteAppKey(tx.db, number);
  tx.record({ ...appChange('updateApp', app, 'revoked a private key of the app'), before: auditedKey(key) });
  await tx.invalidate(IDENTITY);
}

export async function changeClientSecret(tx: ChangeTransaction, name: AppName, hash: string): Promise<void> {
  const app = await lockApp(tx.db, name);
  await updateClientSecret(tx.db, app.number, hash, tx.actor.now);
  tx.record(appChange('updateApp', app, 'renewed the client secret of the app'));
}

export function appChange(action: string, app: HostApp, verb: string): Change {
  const { slug: name, ownerId } = app;
  return { accesses: [{ action, resource: appResource(app) }], kind: 'app', name, verb, ownerId };
}

/** Without what is secret. */
export function auditedApp({ number, slug, name, isPublic, permissions, events, hook }: HostApp) {
  const { url, isActive } = hook;
  return { id: number, slug, name, public: isPublic, permissions, events, hook: { url, active: isActive } };
}

function auditedKey({ number, publicKey }: AppKey) {
  return { id: number, fingerprint: fingerprintOf(publicKey) };
}
