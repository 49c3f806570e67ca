// The apps of an account and those that are installed on it, for who manages the account: list, suspend, uninstall. ADR 0161.
import { openManagedAccount } from '../../host/app-manifests/app-owner.ts';
import { openManagedInstallation, type OpenedInstallation } from '../../host/app-pages/open-installation.ts';
import { appResource } from '../../host/apps/app.ts';
import {
  removeInstallation,
  suspendInstallation,
  unsuspendInstallation,
} from '../../host/apps/change-installation.ts';
import { listAppsByNumber, listAppsOf } from '../../host/apps/store.ts';
import { countInstallationsOf, listInstallationsOn } from '../../host/apps/store-installations.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { clampLimit, describeLimit, type Slice } from '../../kernel/http/reply/page.ts';
import { reply, route, type Call } from '../../kernel/http/route.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { cursorPage } from '../cursor-page.ts';
import { AppInstallation, OwnApp, toAppInstallation, toOwnApp } from './model.ts';

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;
/** An account has few apps: nobody reads on to here. */
const MAX_OFFSET = 10_000;

const Query = Type.Object({
  account: Type.Optional(
    PlainText({
      maxLength: 100,
      description: "The login of an organization that the caller administers; the caller's own if absent",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 0, description: describeLimit(DEFAULT_LIMIT, MAX_LIMIT) })),
  cursor: Type.Optional(PlainText({ maxLength: 100, description: '`next` of the page before' })),
});

type ListQuery = Static<typeof Query>;

const listApps = route(
  {
    id: 'listApps',
    method: 'GET',
    path: '/apps',
    summary: 'List the apps of an account',
    description: 'Those that it has registered, in the order of their registration.',
    access: 'caller',
    query: Query,
    list: OwnApp,
  },
  async ({ caller, query }, { db }) => {
    const owner = await openManagedAccount(db, caller, query.account ?? accountOf(caller).username);
    const slice = sliceOf(query);
    const apps = await listAppsOf(db, owner.id, { ...slice, limit: slice.limit + 1 });
    const items = [];
    for (const app of apps.slice(0, slice.limit))
      items.push(toOwnApp(app, owner, await countInstallationsOf(db, app.number)));
    return cursorPage(items, nextOf(apps.length, slice));
  },
);

const listAppInstallations = route(
  {
    id: 'listAppInstallations',
    method: 'GET',
    path: '/installations',
    summary: 'List the apps that are installed on an account',
    description: 'With what each may do there, in the order of installation.',
    access: 'caller',
    query: Query,
    list: AppInstallation,
  },
  async ({ caller, query }, { db }) => {
    const account = await openManagedAccount(db, caller, query.account ?? accountOf(caller).username);
    const slice = sliceOf(query);
    const found = await listInstallationsOn(db, [account.id], { ...slice, limit: slice.limit + 1 });
    const apps = await listAppsByNumber(db, [...new Set(found.map(({ appNumber }) => appNumber))]);
    const items = found.slice(0, slice.limit).flatMap((installation) => {
      const app = apps.get(installation.appNumber);
      return app === undefined ? [] : [toAppInstallation(app, account, installation)];
    });
    return cursorPage(items, nextOf(found.length, slice));
  },
);

function sliceOf({ limit, cursor = '0' }: ListQuery): Slice {
  const offset = /^\d{1,6}$/.test(cursor) ? Number(cursor) : MAX_OFFSET + 1;
  if (offset > MAX_OFFSET) throw problem('query.cursor', 'is not the `next` of a page');
  return { offset, limit: clampLimit(limit, DEFAULT_LIMIT, MAX_LIMIT) };
}

/** One more than the page was read, to know whether there are more. */
function nextOf(found: number, { offset, limit }: Slice): string | undefined {
  return limit > 0 && found > limit ? String(offset + limit) : undefined;
}

const CHANGE = { action: 'updateInstallation' } as const;
const Params = Type.Object({ id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) });

const suspend = route(
  {
    id: 'suspendAppInstallation',
    method: 'PUT',
    path: '/installations/{id}/suspended',
    summary: 'Suspend an app on an account',
    description: 'Its tokens are refused from then on, and it receives no events, until it is unsuspended.',
    access: CHANGE,
    params: Params,
    reply: { 200: AppInstallation },
  },
  (call, kernel) =>
    changeOpened(call, kernel, (tx, { app, installation }) => suspendInstallation(tx, app, installation)),
);

const unsuspend = route(
  {
    id: 'unsuspendAppInstallation',
    method: 'DELETE',
    path: '/installations/{id}/suspended',
    summary: 'Give a suspended app its access back',
    access: CHANGE,
    params: Params,
    reply: { 200: AppInstallation },
  },
  (call, kernel) =>
    changeOpened(call, kernel, (tx, { app, installation }) => unsuspendInstallation(tx, app, installation)),
);

const uninstall = route(
  {
    id: 'deleteAppInstallation',
    method: 'DELETE',
    path: '/installations/{id}',
    summary: 'Uninstall an app from an account',
    description: 'It loses its access for good. Installing it again is a new installation.',
    access: CHANGE,
    params: Params,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { app, installation } = await openForChange(call, kernel);
    await kernel.changes.run(call, (tx) => removeInstallation(tx, app, installation));
    await kernel.identity.invalidate();
    return reply(204);
  },
);

type InstallationCall = Call & { caller: KnownCaller; params: Static<typeof Params> };

async function openForChange(call: InstallationCall, kernel: Kernel): Promise<OpenedInstallation> {
  const opened = await openManagedInstallation(kernel, call.caller, call.params.id);
  call.requirePermission(`${appResource(opened.app)}:installation/${opened.installation.number}`);
  return opened;
}

async function changeOpened(
  call: InstallationCall,
  kernel: Kernel,
  change: (tx: ChangeTransaction, opened: OpenedInstallation) => Promise<OpenedInstallation['installation']>,
): Promise<Static<typeof AppInstallation>> {
  const opened = await openForChange(call, kernel);
  const after = await kernel.changes.run(call, (tx) => change(tx, opened));
  // At once on this node; the commit has notified the others.
  await kernel.identity.invalidate();
  return toAppInstallation(opened.app, opened.account, after);
}

export const managedAppRoutes = [listApps, listAppInstallations, suspend, unsuspend, uninstall];
