// Creates apps, inside a transaction with the audit entry.
import { randomBytes } from 'node:crypto';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { insertBotAccount } from '../../kernel/identity/store-bots.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { isAppName, appSlugOf, type AppHook, type AppUrls, type HostApp } from './app.ts';
import { checkedPermissions } from './permissions.ts';
import { appChange, auditedApp } from './change-app.ts';
import { findAppBySlug, insertApp, lockAppSlug, type AppKeyHashes } from './store.ts';
import { insertAppKey } from './store-keys.ts';

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
