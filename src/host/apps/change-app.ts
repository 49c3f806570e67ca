// Creates and changes apps and their secrets, inside a transaction with the audit entry.
import { createHash, createPublicKey, generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { Change } from '../../kernel/change/change.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { insertBotAccount } from '../../kernel/identity/store-bots.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { hashSecret } from '../../kernel/secrets/secret.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { appResource, type HostApp, isAppName, appSlugOf, type AppHook, type AppUrls } from './app.ts';
import { checkedPermissions, withRights, type AppRights } from './permissions.ts';
import {
  deleteAppKey,
  insertAppKey,
  listAppKeys,
  MAX_APP_KEYS,
  type AppKey,
  findApp,
  lockAppSlug,
  updateApp,
  updateClientSecret,
  type AppKeyHashes,
  findAppBySlug,
  insertApp,
} from './store.ts';

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

/**
 * They are generated outside of transactions: a key pair takes a while, and sealing may write. What the server keeps,
 * and what is shown once.
 */
export interface NewAppKeys {
  kept: AppKeyHashes;
  shown: { pem: string; clientSecret: string; webhookSecret: string | null };
}

const generate = promisify(generateKeyPair);
const KEY_BITS = 2048;

/** `signsHooks` says whether the app's webhooks are signed. */
export async function generateAppKeys(kernel: Kernel, signsHooks: boolean): Promise<NewAppKeys> {
  const { publicKey, pem } = await generateAppKeyPair();
  const client = generateClientSecret();
  const hook = signsHooks ? await generateHookSecret(kernel) : { value: null, sealed: null };
  return {
    kept: { publicKey, clientSecretHash: client.hash, hookSecret: hook.sealed },
    shown: { pem, clientSecret: client.value, webhookSecret: hook.value },
  };
}

/** Both as PEM. */
export async function generateAppKeyPair(): Promise<{ publicKey: string; pem: string }> {
  const { publicKey, privateKey: pem } = await generate('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return { publicKey, pem };
}

export function generateClientSecret(): { value: string; hash: string } {
  const value = randomBytes(20).toString('hex');
  return { value, hash: hashSecret(value) };
}

export async function generateHookSecret({ secrets }: Kernel): Promise<{ value: string; sealed: string }> {
  const value = randomBytes(20).toString('hex');
  return { value, sealed: await secrets.seal(value) };
}

/** As `openssl rsa -in KEY.pem -pubout -outform DER | openssl sha256 -binary | openssl base64` prints it. */
export function fingerprintOf(publicKey: string): string {
  const der = createPublicKey(publicKey).export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(der).digest('base64')}`;
}

export interface AppDraft {
  /** The member, service token or organization that owns it. */
  ownerId: string;
  name: string;
  description: string | null;
  externalUrl: string;
  isPublic: boolean;
  /** Levels by permission, as sent. */
  permissions: Readonly<Record<string, string>>;
  events: readonly string[];
  urls: AppUrls;
  /** The secret is that of the keys. */
  hook: Omit<AppHook, 'secret'>;
  /** Of `generateAppKeys`; without them nobody can act as the app. */
  keys?: AppKeyHashes;
}

/** The caller has checked that the actor may create apps of the owner, and that the addresses may be used. */
export async function createApp(tx: ChangeTransaction, draft: AppDraft): Promise<HostApp> {
  const { db, actor } = tx;
  const slug = isAppName(draft.name) ? appSlugOf(draft.name) : undefined;
  if (slug === undefined)
    throw problem('name', 'must have 1 to 34 characters, some of them letters or digits');
  await lockAppSlug(db, slug);
  if ((await findAppBySlug(db, slug)) !== undefined) throw problem('name', 'is already taken');
  const bot = await insertBotAccount(db, slug, draft.name, actor.now);
  const { keys } = draft;
  const app = await insertApp(
    db,
    {
      ...draft,
      slug,
      clientId: `Iv1.${randomBytes(8).toString('hex')}`,
      botId: bot.id,
      permissions: checkedPermissions(draft.permissions, 'default_permissions'),
      clientSecretHash: keys?.clientSecretHash ?? null,
      hook: { ...draft.hook, secret: keys?.hookSecret ?? null },
    },
    actor.now,
  );
  if (keys !== undefined) await insertAppKey(db, app.number, keys.publicKey, actor.now);
  tx.record({ ...appChange('createApp', app, 'created the app'), after: auditedApp(app) });
  return app;
}
