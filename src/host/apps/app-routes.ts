// What an app does with a token that it signs itself: reads itself and its installations, suspends and removes them, gets tokens.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route, type Call } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { hashSecret } from '../../kernel/secrets/secret.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { HostPageQuery, pageBefore, pageSliceOf } from '../list-query.ts';
import { organizationNameIn, OrganizationParams } from '../organizations/access.ts';
import { findOrganization } from '../organizations/store.ts';
import { findUser } from '../owners/store.ts';
import { findRepositoryNamed, RepositoryParams } from '../repositories/access.ts';
import { toNestedRepository } from '../repositories/model.ts';
import { showRepositories } from '../repositories/show-repository.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import { isoSeconds, parseTime } from '../times.ts';
import { appResource, type HostApp, type Installation } from './app.ts';
import { undecodable } from './app-tokens.ts';
import {
  installationNotFound,
  removeInstallation,
  suspendInstallation,
  unsuspendInstallation,
} from './change-installation.ts';
import { createInstallationToken } from './installation-tokens.ts';
import { InstallationReply, InstallationTokenReply, AppIntegration, TokenRequest } from './model.ts';
import { appOf, programCaller } from './program.ts';
import { showApp, showInstallation, showInstallations } from './show-installation.ts';
import { findApp } from './store.ts';
import { findInstallation, findInstallationOn, listInstallationsOf } from './store-installations.ts';
import { listReachedNumbers } from './store-reach.ts';

const InstallationParams = Type.Object({ installation_id: Type.Integer({ minimum: 1 }) });
const UPDATE = { action: 'updateInstallation' } as const;

/** The app that calls; it may have been deleted a moment ago. */
async function openApp(db: Db, caller: KnownCaller): Promise<HostApp> {
  const app = await findApp(db, appOf(caller)?.app ?? 0);
  if (app === undefined) throw undecodable();
  return app;
}

/** Those of other apps are reported as missing. */
async function openInstallation(db: Db, app: HostApp, number: number): Promise<Installation> {
  const installation = await findInstallation(db, number);
  if (installation?.appNumber !== app.number) throw installationNotFound();
  return installation;
}

const getAuthenticated = route(
  {
    id: 'apps/get-authenticated',
    method: 'GET',
    path: '/app',
    summary: 'Get the app that calls',
    access: 'caller',
    reply: { 200: AppIntegration },
  },
  async ({ caller, base }, { db }) => await showApp(db, await openApp(db, caller), base, { isCounted: true }),
);

const listInstallations = route(
  {
    id: 'apps/list-installations',
    method: 'GET',
    path: '/app/installations',
    summary: 'List the installations of the app',
    access: 'caller',
    query: Type.Object({
      since: Type.Optional(
        Type.String({ format: 'date-time', description: 'Only those that changed since then' }),
      ),
      outdated: Type.Optional(Type.String()),
      ...HostPageQuery,
    }),
    list: InstallationReply,
  },
  async ({ caller, query, base }, { db }) => {
    const app = await openApp(db, caller);
    const slice = pageSliceOf(query);
    const filter = query.since === undefined ? {} : { since: parseTime('since', query.since) };
    const found = await listInstallationsOf(db, app.number, { ...slice, limit: slice.limit + 1 }, filter);
    const { items, total, more } = pageBefore(found, slice);
    return new Page(await showInstallations(db, items, base), total, slice, false, more);
  },
);

const getInstallation = route(
  {
    id: 'apps/get-installation',
    method: 'GET',
    path: '/app/installations/{installation_id}',
    summary: 'Get an installation of the app',
    access: 'caller',
    params: InstallationParams,
    reply: { 200: InstallationReply },
  },
  async ({ caller, params, base }, { db }) => {
    const app = await openApp(db, caller);
    return await showInstallation(db, await openInstallation(db, app, params.installation_id), base);
  },
);

const deleteInstallation = route(
  {
    id: 'apps/delete-installation',
    method: 'DELETE',
    path: '/app/installations/{installation_id}',
    summary: 'Uninstall the app from an account',
    description:
      'Its tokens end at once. Background work removes the installation, which can be read until then.',
    access: UPDATE,
    params: InstallationParams,
    reply: { 202: null },
  },
  async (call, kernel) => {
    await changeOwnInstallation(call, kernel, removeInstallation);
    return reply(202);
  },
);

const suspend = route(
  {
    id: 'apps/suspend-installation',
    method: 'PUT',
    path: '/app/installations/{installation_id}/suspended',
    summary: 'Suspend an installation of the app',
    description: 'Its tokens are refused until it is unsuspended.',
    access: UPDATE,
    params: InstallationParams,
    reply: { 204: null },
  },
  async (call, kernel) => {
    await changeOwnInstallation(call, kernel, suspendInstallation);
    return reply(204);
  },
);

const unsuspend = route(
  {
    id: 'apps/unsuspend-installation',
    method: 'DELETE',
    path: '/app/installations/{installation_id}/suspended',
    summary: 'Unsuspend an installation of the app',
    access: UPDATE,
    params: InstallationParams,
    reply: { 204: null },
  },
  async (call, kernel) => {
    await changeOwnInstallation(call, kernel, unsuspendInstallation);
    return reply(204);
  },
);

const createToken = route(
  {
    id: 'apps/create-installation-access-token',
    method: 'POST',
    path: '/app/installations/{installation_id}/access_tokens',
    summary: 'Create a token of an installation',
    description:
      'It is valid for an hour, for REST and for git, and may be narrowed to repositories and permissions.',
    access: 'caller',
    params: InstallationParams,
    body: TokenRequest,
    bodyIsOptional: true,
    reply: { 201: InstallationTokenReply },
    isData: true,
  },
  async (call, { db, changes }) => {
    const app = await openApp(db, call.caller);
    const installation = await openInstallation(db, app, call.params.installation_id);
    const { value, token } = await changes.run(call, (tx) =>
      createInstallationToken(tx, installation, call.body ?? {}),
    );
    const narrowed = token.repositories;
    const found = narrowed === null ? [] : [...(await listRepositoriesByNumber(db, narrowed)).values()];
    const { number, accountId, selection } = installation;
    const holder = programCaller(accountOf(call.caller), {
      kind: 'installation',
      app: app.number,
      reach: { installation: number, accountId, selection, only: narrowed },
      permissions: token.permissions,
      tokenHash: hashSecret(value),
    });
    // Those that the token reaches. The roles are the app's own, which reads what is public.
    const shown = (await showRepositories(db, holder, found)).map((one) => ({
      ...one,
      role: one.repository.isPrivate ? undefined : ('read' as const),
    }));
    const body = {
      token: value,
      expires_at: isoSeconds(token.expiresAt),
      permissions: token.permissions,
      repository_selection: narrowed === null ? installation.selection : 'selected',
      ...(narrowed !== null && { repositories: shown.map((one) => toNestedRepository(one, call.base)) }),
    };
    return reply(201, body, { 'cache-control': 'no-store' });
  },
);

const getForRepository = route(
  {
    id: 'apps/get-repo-installation',
    method: 'GET',
    path: '/repos/{owner}/{repo}/installation',
    summary: 'Get the installation that reaches a repository',
    access: 'caller',
    params: Type.Object(RepositoryParams),
    reply: { 200: InstallationReply },
  },
  async (call, kernel) => {
    const { db } = kernel;
    const app = await openApp(db, call.caller);
    const found = await findRepositoryNamed(kernel, call);
    const installation = found && (await findInstallationOn(db, app.number, found.repository.ownerId));
    if (found === undefined || installation === undefined) throw installationNotFound();
    const { number, accountId, selection } = installation;
    const reach = { installation: number, accountId, selection, only: null };
    const reached = await listReachedNumbers(db, reach, [found.repository.number]);
    if (reached.size === 0) throw installationNotFound();
    return await showInstallation(db, installation, call.base);
  },
);

const getForOrganization = route(
  {
    id: 'apps/get-org-installation',
    method: 'GET',
    path: '/orgs/{org}/installation',
    summary: 'Get the installation on an organization',
    access: 'caller',
    params: Type.Object(OrganizationParams),
    reply: { 200: InstallationReply },
  },
  async ({ caller, params, base }, { db }) => {
    const organization = await findOrganization(db, organizationNameIn(params));
    return await showOnAccount(db, caller, organization?.id, base);
  },
);

const getForUser = route(
  {
    id: 'apps/get-user-installation',
    method: 'GET',
    path: '/users/{username}/installation',
    summary: 'Get the installation on a user',
    access: 'caller',
    params: Type.Object({ username: Type.String() }),
    reply: { 200: InstallationReply },
  },
  async ({ caller, params, base }, { db }) =>
    await showOnAccount(db, caller, (await findUser(db, params.username))?.id, base),
);

async function showOnAccount(
  db: Kernel['db'],
  caller: KnownCaller,
  accountId: string | undefined,
  base: string,
) {
  const app = await openApp(db, caller);
  const installation =
    accountId === undefined ? undefined : await findInstallationOn(db, app.number, accountId);
  if (installation === undefined) throw installationNotFound();
  return await showInstallation(db, installation, base);
}

/** A change of an installation by its app. */
async function changeOwnInstallation(
  call: Omit<Call, 'params' | 'query' | 'body'> & {
    caller: KnownCaller;
    params: { installation_id: number };
  },
  { db, changes }: Kernel,
  change: (tx: ChangeTransaction, app: HostApp, installation: Installation) => Promise<unknown>,
): Promise<void> {
  const app = await openApp(db, call.caller);
  call.requirePermission(`${appResource(app)}:installation/${call.params.installation_id}`);
  const installation = await openInstallation(db, app, call.params.installation_id);
  await changes.run(call, (tx) => change(tx, app, installation));
}

export const appRoutes = [
  getAuthenticated,
  listInstallations,
  getInstallation,
  deleteInstallation,
  suspend,
  unsuspend,
  createToken,
  getForRepository,
  getForOrganization,
  getForUser,
];
