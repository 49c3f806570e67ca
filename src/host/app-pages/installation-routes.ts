// Pages on which people install apps, choose their repositories, suspend and uninstall them.
import type { FastifyReply } from 'fastify';
import { actorOf } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { formTargetOf, showPage } from '../../kernel/http/pages/html.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { PageRequest, PageRoute } from '../../kernel/http/pages/page-route.ts';
import { goTo } from '../../kernel/http/pages/session-pages.ts';
import { openManagedAccount } from '../app-manifests/app-owner.ts';
import {
  signForm,
  findVisitor,
  openForm,
  pageForMembers,
  pageNumberIn,
  pageTurns,
  settingsPaths,
} from './page-forms.ts';
import type { HostApp, Installation } from '../apps/app.ts';
import { appNotFound } from '../apps/change-app.ts';
import {
  acceptAppRights,
  changeInstallationRepositories,
  createInstallation,
  removeInstallation,
  suspendInstallation,
  unsuspendInstallation,
} from '../apps/change-installation.ts';
import { listAppsByNumber } from '../apps/store.ts';
import { findInstallationOn, listInstallationsOn } from '../apps/store-installations.ts';
import { listOwners } from '../owners/store.ts';
import {
  appPage,
  chooseAccountPage,
  goodbyePage,
  installationPage,
  installationPath,
  installationsPage,
  installPage,
} from './installation-page.ts';
import {
  findKnownApp,
  listInstallAccounts,
  mayHave,
  offerRepositories,
  openInstallation,
  selectedIn,
  shownSelectionIn,
  type OpenedInstallation,
} from './open-installation.ts';

const MAX_STATE = 4096;
const MAX_LISTED = 100;

async function showApp(request: PageRequest, reply: FastifyReply, kernel: Kernel) {
  const visitor = await findVisitor(request, kernel);
  const app = await findKnownApp(kernel, visitor?.caller, request.params['slug']!);
  const owner = (await listOwners(kernel.db, [app.ownerId])).get(app.ownerId);
  if (owner === undefined) throw appNotFound();
  return showPage(reply, 200, appPage(app, owner));
}

const listInstalled = pageForMembers(async ({ params, query }, reply, { db }, { caller }) => {
  const account = await openManagedAccount(db, caller, params['org'] ?? accountOf(caller).username);
  const page = pageNumberIn(query);
  const slice = { offset: (page - 1) * MAX_LISTED, limit: MAX_LISTED + 1 };
  const found = await listInstallationsOn(db, [account.id], slice);
  const apps = await listAppsByNumber(db, [...new Set(found.map(({ appNumber }) => appNumber))]);
  const rows = found.slice(0, MAX_LISTED).flatMap((installation) => {
    const app = apps.get(installation.appNumber);
    return app === undefined ? [] : [{ app, installation }];
  });
  return showPage(reply, 200, installationsPage(account, rows, pageTurns(page, found.length > MAX_LISTED)));
});

const showNew = pageForMembers(async ({ params, query }, reply, kernel, visitor) => {
  const { db, secrets, clock } = kernel;
  const app = await findKnownApp(kernel, visitor.caller, params['slug']!);
  const state = (query.get('state') ?? '').slice(0, MAX_STATE);
  const login = query.get('account') ?? '';
  if (login === '')
    return showPage(
      reply,
      200,
      chooseAccountPage(app, await listInstallAccounts(db, visitor.caller, app), state),
    );
  const account = await openManagedAccount(db, visitor.caller, login);
  if (!mayHave(app, account.id)) throw privateApp();
  const existing = await findInstallationOn(db, app.number, account.id);
  if (existing !== undefined) return reply.redirect(installationPath(account, existing.number), 303);
  const token = signForm(secrets, visitor.session, shownFor(app, account.login, state), clock.now());
  const hidden = { token, account: account.login, state };
  const page = installPage(app, account, await offerRepositories(db, account), hidden);
  return showPage(reply, 200, page, targetsOf(app));
});

async function install(request: PageRequest, reply: FastifyReply, kernel: Kernel) {
  const { db, clock } = kernel;
  const { form } = request;
  let found: HostApp | undefined;
  const { visitor } = await openForm(request, kernel, async ({ caller }) => {
    found = await findKnownApp(kernel, caller, request.params['slug']!);
    return shownFor(found, form.get('account') ?? '', form.get('state') ?? '');
  });
  const app = found!;
  const account = await openManagedAccount(db, visitor.caller, form.get('account') ?? '');
  if (!mayHave(app, account.id)) throw privateApp();
  const repositories = await selectedIn(db, account, form);
  const installation = await kernel.changes.run(actorOf(visitor.caller, clock.now()), (tx) =>
    createInstallation(tx, { app, account, repositories }),
  );
  await kernel.identity.invalidate();
  const state = form.get('state') ?? '';
  const { setup } = app.urls;
  const next =
    setup === null
      ? installationPath(account, installation.number)
      : withQuery(setup, {
          installation_id: String(installation.number),
          setup_action: 'install',
          ...(state !== '' && { state }),
        });
  return goTo(request, reply, next);
}

/** The token binds the consent to these. */
function shownFor({ slug, permissions, events }: HostApp, login: string, state: string): string[] {
  return ['install', slug, JSON.stringify([permissions, events]), login, state];
}

function shownOn({ number }: Pick<Installation, 'number'>): string[] {
  return ['installation', String(number)];
}

const showInstallation = pageForMembers(async ({ params, query }, reply, kernel, visitor) => {
  const opened = await openInstallation(kernel, visitor.caller, Number(params['id']), params['org']);
  const { app, account, installation } = opened;
  const token = signForm(kernel.secrets, visitor.session, shownOn(installation), kernel.clock.now());
  const offered = await offerRepositories(kernel.db, account, installation, pageNumberIn(query));
  return showPage(reply, 200, installationPage(opened, offered, token), targetsOf(app));
});

async function change(request: PageRequest, reply: FastifyReply, kernel: Kernel) {
  const { id, org } = request.params;
  const { form, visitor } = await openForm(request, kernel, shownOn({ number: Number(id) }));
  const opened = await openInstallation(kernel, visitor.caller, Number(id), org);
  const { app, account, installation } = opened;
  const action = form.get('action') ?? '';
  const work = workOf(opened, action, form);
  await kernel.changes.run(actorOf(visitor.caller, kernel.clock.now()), work);
  // At once on this node; the commit has notified the others.
  await kernel.identity.invalidate();
  if (action === 'uninstall') return showPage(reply, 200, goodbyePage(app, account));
  const { setup, setupOnUpdate } = app.urls;
  const page = pageNumberIn(request.query);
  const next =
    setup !== null && setupOnUpdate && action === 'repositories'
      ? withQuery(setup, { installation_id: String(installation.number), setup_action: 'update' })
      : `${installationPath(account, installation.number)}${page > 1 ? `?page=${page}` : ''}`;
  return goTo(request, reply, next);
}

/** What a form asks for, to be done in one transaction. */
function workOf(
  { app, installation }: OpenedInstallation,
  action: string,
  form: URLSearchParams,
): (tx: ChangeTransaction) => Promise<unknown> {
  switch (action) {
    case 'repositories': {
      const selection = shownSelectionIn(form);
      return (tx) => changeInstallationRepositories(tx, app, installation, selection);
    }
    case 'accept':
      return (tx) => acceptAppRights(tx, app, installation, Number(form.get('revision')));
    case 'suspend':
      return (tx) => suspendInstallation(tx, app, installation);
    case 'unsuspend':
      return (tx) => unsuspendInstallation(tx, app, installation);
    case 'uninstall':
      return (tx) => removeInstallation(tx, app, installation);
    default:
      throw new Failure('malformed', 'This form asks for something unknown.');
  }
}

/** Where the answer to a form may lead. */
function targetsOf({ urls: { setup } }: HostApp): string[] {
  return setup === null ? [] : [formTargetOf(setup)];
}

function withQuery(url: string, query: Record<string, string>): string {
  const target = new URL(url);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
  return target.href;
}

function privateApp(): Failure {
  return new Failure('forbidden', 'Only its owner can install this app.');
}

export const installationPages: PageRoute[] = [
  { method: 'GET', path: '/apps/{slug}', handle: showApp },
  { method: 'GET', path: '/apps/{slug}/installations/new', handle: showNew },
  { method: 'POST', path: '/apps/{slug}/installations', handle: install },
  ...settingsPaths('installations').map((path): PageRoute => ({
    method: 'GET',
    path,
    handle: listInstalled,
  })),
  ...settingsPaths('installations/{id}').flatMap((path): PageRoute[] => [
    { method: 'GET', path, handle: showInstallation },
    { method: 'POST', path, handle: change },
  ]),
];
