// Creates, changes and removes apps, inside a transaction with the audit entry.
import { randomBytes } from 'node:crypto';
import type { Change } from '../../kernel/change/change.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { deleteBotAccount, insertBotAccount } from '../../kernel/identity/store-bots.ts';
import { deleteUsageOf } from '../../kernel/version-usage/store.ts';
import { problem } from '../../kernel/schema.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import { actorRemovalStatements } from '../protection/store-actors.ts';
import { appResource, isAppName, appSlugOf, type AppHook, type AppUrls, type HostApp } from './app.ts';
import { checkedPermissions } from './permissions.ts';
import { programId } from './program.ts';
import { removeInstallation } from './change-installation.ts';
import {
  findAppBySlug,
  insertApp,
  lockAppSlug,
  updateApp,
  updateAppDeleted,
  type AppKeyHashes,
} from './store.ts';
import { listInstallationsOf } from './store-installations.ts';

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
export async function createApp(on: ChangeTransaction, draft: AppDraft): Promise<HostApp> {
  const { db: tx, actor } = on;
  const slug = isAppName(draft.name) ? appSlugOf(draft.name) : undefined;
  if (slug === undefined)
    throw problem('name', 'must have 1 to 34 characters, some of them letters or digits');
  await lockAppSlug(tx, slug);
  if ((await findAppBySlug(tx, slug)) !== undefined) throw problem('name', 'is already taken');
  const bot = await insertBotAccount(tx, slug, draft.name, actor.now);
  const { keys } = draft;
  const app = await insertApp(
    tx,
    {
      ...draft,
      slug,
      clientId: `Iv1.${randomBytes(8).toString('hex')}`,
      botId: bot.id,
      permissions: checkedPermissions(draft.permissions, 'default_permissions'),
      publicKey: keys?.publicKey ?? null,
      clientSecretHash: keys?.clientSecretHash ?? null,
      hook: { ...draft.hook, secret: keys?.hookSecret ?? null },
    },
    actor.now,
  );
  on.record({ ...appChange('createApp', app, 'created the app'), after: auditedApp(app) });
  return app;
}

/** Its name and its owner stay. */
export async function changeApp(
  on: ChangeTransaction,
  before: HostApp,
  fields: Partial<Pick<HostApp, 'description' | 'externalUrl' | 'isPublic' | 'events' | 'urls' | 'hook'>>,
): Promise<HostApp> {
  const after = await updateApp(on.db, { ...before, ...fields }, on.actor.now);
  on.record({
    ...appChange('updateApp', after, 'changed the app'),
    before: auditedApp(before),
    after: auditedApp(after),
  });
  await on.invalidate(IDENTITY);
  return after;
}

/** Installations that are removed with an app in one round. */
const BATCH = 100;

/** With its installations; nobody can act as the app from then on. */
export async function removeApp(on: ChangeTransaction, app: HostApp): Promise<void> {
  const { db: tx, actor } = on;
  for (let offset = 0; ; offset += BATCH) {
    const some = await listInstallationsOf(tx, app.number, { offset, limit: BATCH });
    for (const installation of some) await removeInstallation(on, app, installation);
    if (some.length < BATCH) break;
  }
  await updateAppDeleted(tx, app.number, actor.now);
  await executeAll(tx, actorRemovalStatements(tx, app.botId));
  await deleteBotAccount(tx, app.botId);
  await deleteUsageOf(tx, [programId('app', app.number)]);
  on.record({ ...appChange('deleteApp', app, 'deleted the app'), before: auditedApp(app) });
  await on.invalidate(IDENTITY);
}

function appChange(action: string, app: HostApp, verb: string): Change {
  return { accesses: [{ action, resource: appResource(app) }], kind: 'app', name: app.slug, verb };
}

/** Without what is secret. */
function auditedApp({ number, slug, name, isPublic, permissions, events, hook }: HostApp) {
  const { url, isActive } = hook;
  return { id: number, slug, name, public: isPublic, permissions, events, hook: { url, active: isActive } };
}
