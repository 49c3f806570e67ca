// Pages on which the owner of an app changes it, makes and revokes its keys, and deletes it.
import type { FastifyReply } from 'fastify';
import { actorOf } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { showPage } from '../../kernel/http/pages/html.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { requirePermission } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { PageRequest, PageRoute } from '../../kernel/http/pages/page-route.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { goTo } from '../../kernel/http/pages/session-pages.ts';
import { scheduleDeliveryStop } from '../../kernel/webhooks/store-removal.ts';
import { openManagedAccount, openManagedOwner } from '../app-manifests/app-owner.ts';
import {
  signForm,
  openForm,
  pageForMembers,
  pageNumberIn,
  pageTurns,
  settingsPathOf,
  settingsPaths,
} from './page-forms.ts';
import { appResource, type HostApp } from '../apps/app.ts';
import {
  generateAppKeyPair,
  generateClientSecret,
  generateHookSecret,
  appNotFound,
  changeApp,
  changeClientSecret,
  checkKeyCount,
  createAppKey,
  removeAppKey,
} from '../apps/change-app.ts';
import { removeApp } from '../apps/remove-app.ts';
import { listAppsOf, listAppKeys } from '../apps/store.ts';
import { countInstallationsOf, MAX_COUNTED_INSTALLATIONS } from '../apps/store-installations.ts';
import { hookRefOf } from '../hooks/hook.ts';
import { findNamedApp } from './open-installation.ts';
import {
  aboutIn,
  hookIn,
  rightsIn,
  appDeletedPage,
  appSettingsPage,
  ownAppsPage,
  secretPage,
  type ShownSecret,
} from './settings-page.ts';

const PER_PAGE = 100;

const listOwnApps = pageForMembers(async ({ params, query }, reply, { db }, { caller }) => {
  const owner = await openManagedAccount(db, caller, params['org'] ?? accountOf(caller).username);
  const page = pageNumberIn(query);
  const apps = await listAppsOf(db, owner.id, { offset: (page - 1) * PER_PAGE, limit: PER_PAGE + 1 });
  const place = {
    path: `${settingsPathOf(params['org'])}/apps`,
    turns: pageTurns(page, apps.length > PER_PAGE),
  };
  return showPage(reply, 200, ownAppsPage(owner, apps.slice(0, PER_PAGE), place));
});

/** To others than those who manage its owner there is none. */
async function openOwnApp(
  kernel: Kernel,
  caller: KnownCaller,
  { slug, org }: PageRequest['params'],
): Promise<HostApp> {
  const app = await findNamedApp(kernel, slug!);
  const owner = await openManagedOwner(kernel.db, caller, app.ownerId).catch((error: unknown) => {
    throw error instanceof Failure ? appNotFound() : error;
  });
  const named = owner.type === 'Organization' ? owner.login.toLowerCase() : undefined;
  if (named !== org?.toLowerCase()) throw appNotFound();
  return app;
}

function pathOf({ slug }: HostApp, { org }: PageRequest['params']): string {
  return `${settingsPathOf(org)}/apps/${slug}`;
}

/** The token binds the forms to the page of this app. */
function shownOf({ slug = '', org = '' }: PageRequest['params']): string[] {
  return ['app', slug.toLowerCase(), org.toLowerCase()];
}

const showSettings = pageForMembers(async ({ params }, reply, kernel, { caller, session }) => {
  const { db, secrets, clock } = kernel;
  const app = await openOwnApp(kernel, caller, params);
  const [keys, count] = await Promise.all([
    listAppKeys(db, app.number),
    countInstallationsOf(db, app.number),
  ]);
  const more = count === MAX_COUNTED_INSTALLATIONS ? ' or more' : '';
  const installations = `${count}${more} ${count === 1 ? 'account' : 'accounts'}`;
  const token = signForm(secrets, session, shownOf(params), clock.now());
  return showPage(
    reply,
    200,
    appSettingsPage({ app, keys, installations, path: pathOf(app, params), token }),
  );
});

async function changeSettings(request: PageRequest, reply: FastifyReply, kernel: Kernel) {
  const { params } = request;
  const { form, visitor } = await openForm(request, kernel, shownOf(params));
  const { caller } = visitor;
  const app = await openOwnApp(kernel, caller, params);
  const path = pathOf(app, params);
  const action = form.get('action') ?? '';
  // Before a key is made, which takes a while.
  requirePermission(caller, action === 'delete' ? 'deleteApp' : 'updateApp', appResource(app));
  const { work, secret } = await workOf(kernel, app, action, form);
  await kernel.changes.run(actorOf(caller, kernel.clock.now()), work);
  // At once on this node; the commit has notified the others.
  await kernel.identity.invalidate();
  if (secret !== undefined) return showPage(reply, 200, secretPage(secret, path));
  if (action === 'delete')
    return showPage(reply, 200, appDeletedPage(app, `${settingsPathOf(params['org'])}/apps`));
  return goTo(request, reply, path);
}

interface SettingsWork {
  /** In one transaction. */
  work(tx: ChangeTransaction): Promise<unknown>;
  /** Shown afterwards, once. */
  secret?: ShownSecret;
}

/** What a form asks for. */
async function workOf(
  kernel: Kernel,
  app: HostApp,
  action: string,
  form: URLSearchParams,
): Promise<SettingsWork> {
  switch (action) {
    case 'about': {
      const change = aboutIn(form);
      return { work: (tx) => changeApp(tx, app, change) };
    }
    case 'hook': {
      const change = hookIn(form, kernel);
      return { work: (tx) => changeHook(kernel, tx, app, change) };
    }
    case 'rights': {
      const rights = rightsIn(form);
      return { work: (tx) => changeApp(tx, app, () => ({ rights })) };
    }
    case 'hook-secret': {
      const { value, sealed } = await generateHookSecret(kernel);
      return {
        work: (tx) => changeApp(tx, app, ({ hook }) => ({ hook: { ...hook, secret: sealed } })),
        secret: { title: 'The new webhook secret', value },
      };
    }
    case 'client-secret': {
      const { value, hash } = generateClientSecret();
      return {
        work: (tx) => changeClientSecret(tx, app, hash),
        secret: { title: 'The new client secret', value },
      };
    }
    case 'new-key': {
      checkKeyCount(await listAppKeys(kernel.db, app.number));
      const { publicKey, pem } = await generateAppKeyPair();
      return {
        work: (tx) => createAppKey(tx, app, publicKey),
        secret: { title: 'The new private key', value: pem, file: `${app.slug}.private-key.pem` },
      };
    }
    case 'revoke-key':
      return { work: (tx) => removeAppKey(tx, app, Number(form.get('key'))) };
    case 'delete':
      if (form.get('confirm')?.trim() !== app.slug)
        throw problem('confirm', `must be "${app.slug}", to delete the app`);
      return { work: (tx) => removeApp(tx, app) };
    default:
      throw new Failure('malformed', 'This form asks for something unknown.');
  }
}

/** What waits is not sent when the webhook is on again. */
async function changeHook(
  { clock }: Kernel,
  tx: ChangeTransaction,
  app: HostApp,
  change: (app: HostApp) => Pick<HostApp, 'hook'>,
): Promise<void> {
  let wasActive = false;
  const { hook, number } = await changeApp(tx, app, (before) => {
    wasActive = before.hook.isActive;
    return change(before);
  });
  if (wasActive && !hook.isActive)
    await scheduleDeliveryStop(tx.db, hookRefOf({ number, target: { app: number } }), clock.now());
}

export const settingsPages: PageRoute[] = [
  ...settingsPaths('apps').map((path): PageRoute => ({ method: 'GET', path, handle: listOwnApps })),
  ...settingsPaths('apps/{slug}').flatMap((path): PageRoute[] => [
    { method: 'GET', path, handle: showSettings },
    { method: 'POST', path, handle: changeSettings },
  ]),
];
