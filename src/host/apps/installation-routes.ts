// What installations and people see of installations: their repositories, and those of one's own account and organizations.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { reply, route, type Call, type Reply } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { HostPageQuery, pageOf, pageSliceOf, pageLinks } from '../list-query.ts';
import { openOrganization, VIEW_AS_MEMBER, OrganizationParams } from '../organizations/access.ts';
import { openRepository } from '../repositories/access.ts';
import { toNestedRepository } from '../repositories/model.ts';
import { showRepositories } from '../repositories/show-repository.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import { listAccountMemberships } from '../repositories/store-lists.ts';
import { appResource, type Installation } from './app.ts';
import { appNotFound } from './change-app.ts';
import { changeInstallationRepositories, installationNotFound } from './change-installation.ts';
import { knowsApp, showApp, showInstallations } from './show-installation.ts';
import { InstallationList, InstallationRepositories, AppIntegration } from './model.ts';
import { installationOf } from './program.ts';
import { findApp, findAppBySlug } from './store.ts';
import { countInstallationsOn, findInstallation, listInstallationsOn } from './store-installations.ts';
import { countReached, listReachedRepositories, type InstallationReach } from './store-reach.ts';
import { deleteInstallationToken } from './store-tokens.ts';

/** Counting stops there. */
const MAX_COUNTED = 10_000;

const getBySlug = route(
  {
    id: 'apps/get-by-slug',
    method: 'GET',
    path: '/apps/{app_slug}',
    summary: 'Get an app',
    access: 'anyone',
    params: Type.Object({ app_slug: Type.String() }),
    reply: { 200: AppIntegration },
  },
  async ({ params, caller, base }, { db }) => {
    const app = await findAppBySlug(db, params.app_slug);
    if (app === undefined || !(await knowsApp(db, caller, app))) throw appNotFound();
    return await showApp(db, app, base, { isCounted: false });
  },
);

const listAccessible = route(
  {
    id: 'apps/list-repos-accessible-to-installation',
    method: 'GET',
    path: '/installation/repositories',
    summary: 'List the repositories that the token reaches',
    access: 'caller',
    query: Type.Object(HostPageQuery),
    reply: { 200: InstallationRepositories },
  },
  async (call, { db }) => {
    const { reach } = installationOf(call.caller)!;
    return await showReached(db, call, reach, pageSliceOf(call.query));
  },
);

async function showReached(
  db: Db,
  { caller, base, url }: Pick<Call, 'caller' | 'base' | 'url'>,
  reach: InstallationReach,
  slice: Slice,
): Promise<Reply> {
  const [numbers, total] = await Promise.all([
    listReachedRepositories(db, reach, slice),
    countReached(db, reach, MAX_COUNTED),
  ]);
  const found = await listRepositoriesByNumber(db, numbers);
  const shown = await showRepositories(
    db,
    caller,
    numbers.flatMap((number) => found.get(number) ?? []),
  );
  const body = {
    total_count: total,
    repository_selection: reach.only === null ? reach.selection : 'selected',
    repositories: shown.map((one) => toNestedRepository(one, base)),
  };
  return reply(200, body, pageLinks(pageOf(shown, { total, isTotalExact: true }, slice), base, url));
}

const revokeToken = route(
  {
    id: 'apps/revoke-installation-access-token',
    method: 'DELETE',
    path: '/installation/token',
    summary: 'Revoke the token of the call',
    access: 'caller',
    reply: { 204: null },
    isData: true,
  },
  async ({ caller }, { db, identity }) => {
    await deleteInstallationToken(db, installationOf(caller)!.tokenHash);
    await identity.invalidate();
    return reply(204);
  },
);

const listForOrganization = route(
  {
    id: 'orgs/list-app-installations',
    method: 'GET',
    path: '/orgs/{org}/installations',
    summary: 'List the apps that are installed on an organization',
    access: VIEW_AS_MEMBER,
    params: Type.Object(OrganizationParams),
    query: Type.Object(HostPageQuery),
    reply: { 200: InstallationList },
  },
  async (call, { db }) => {
    const { organization } = await openOrganization(db, call, 'admin');
    return await showOn(db, call, [organization.id], pageSliceOf(call.query));
  },
);

const listForCaller = route(
  {
    id: 'apps/list-installations-for-authenticated-user',
    method: 'GET',
    path: '/user/installations',
    summary: "List the installations on the caller's account and organizations",
    access: 'caller',
    query: Type.Object(HostPageQuery),
    reply: { 200: InstallationList },
  },
  async (call, { db }) => await showOn(db, call, await accountsOf(db, call.caller), pageSliceOf(call.query)),
);

async function accountsOf(db: Db, caller: KnownCaller): Promise<string[]> {
  const { id } = accountOf(caller);
  const memberships = await listAccountMemberships(db, id);
  return [id, ...memberships.map(({ organizationId }) => organizationId)];
}

async function showOn(
  db: Db,
  { base, url }: Pick<Call, 'base' | 'url'>,
  accountIds: readonly string[],
  slice: Slice,
): Promise<Reply> {
  const [found, total] = await Promise.all([
    listInstallationsOn(db, accountIds, slice),
    countInstallationsOn(db, accountIds),
  ]);
  const installations = await showInstallations(db, found, base);
  const page = pageOf(installations, { total, isTotalExact: true }, slice);
  return reply(200, { total_count: total, installations }, pageLinks(page, base, url));
}

const UserInstallationParams = Type.Object({ installation_id: Type.Integer({ minimum: 1 }) });

/** One on the caller's own account or organizations; others are reported as missing. */
async function openOwn(db: Db, caller: KnownCaller, number: number): Promise<Installation> {
  const installation = await findInstallation(db, number);
  if (installation === undefined || installation.removedAt !== null) throw installationNotFound();
  if (!(await accountsOf(db, caller)).includes(installation.accountId)) throw installationNotFound();
  return installation;
}

const listReposForCaller = route(
  {
    id: 'apps/list-installation-repos-for-authenticated-user',
    method: 'GET',
    path: '/user/installations/{installation_id}/repositories',
    summary: 'List the repositories of an installation that the caller may see',
    access: 'caller',
    params: UserInstallationParams,
    query: Type.Object(HostPageQuery),
    reply: { 200: InstallationRepositories },
  },
  async (call, { db }) => {
    const { number, accountId, selection } = await openOwn(db, call.caller, call.params.installation_id);
    const reach = { installation: number, accountId, selection, only: null };
    const slice = pageSliceOf(call.query);
    const numbers = await listReachedRepositories(db, reach, { offset: 0, limit: MAX_SEEN });
    const found = await listRepositoriesByNumber(db, numbers);
    // Before the page is cut: what the token does not see is not counted.
    const seen = await showRepositories(
      db,
      call.caller,
      numbers.flatMap((one) => found.get(one) ?? []),
    );
    const shown = seen.slice(slice.offset, slice.offset + slice.limit);
    const total = seen.length;
    const body = {
      total_count: total,
      repository_selection: selection,
      repositories: shown.map((one) => toNestedRepository(one, call.base)),
    };
    const page = pageOf(shown, { total, isTotalExact: true }, slice);
    return reply(200, body, pageLinks(page, call.base, call.url));
  },
);

/** Repositories of one installation that are looked at for a person. */
const MAX_SEEN = 1000;

const RepositoryOfInstallationParams = Type.Object({
  installation_id: Type.Integer({ minimum: 1 }),
  repository_id: Type.Integer({ minimum: 1 }),
});

const CHANGE = { action: 'updateInstallation' } as const;

const addRepository = route(
  {
    id: 'apps/add-repo-to-installation-for-authenticated-user',
    method: 'PUT',
    path: '/user/installations/{installation_id}/repositories/{repository_id}',
    summary: 'Add a repository to an installation',
    access: CHANGE,
    params: RepositoryOfInstallationParams,
    reply: { 204: null },
  },
  async (call, kernel) => await changeRepository(call, kernel, 'add'),
);

const removeRepository = route(
  {
    id: 'apps/remove-repo-from-installation-for-authenticated-user',
    method: 'DELETE',
    path: '/user/installations/{installation_id}/repositories/{repository_id}',
    summary: 'Remove a repository from an installation',
    access: CHANGE,
    params: RepositoryOfInstallationParams,
    reply: { 204: null },
  },
  async (call, kernel) => await changeRepository(call, kernel, 'remove'),
);

/** For admins of the repository. */
async function changeRepository(
  call: Call & {
    caller: KnownCaller;
    params: { installation_id: number; repository_id: number };
  },
  kernel: Kernel,
  verb: 'add' | 'remove',
): Promise<Reply> {
  const { db, changes } = kernel;
  const { installation_id: number, repository_id: repository } = call.params;
  const installation = await openOwn(db, call.caller, number);
  const app = await findApp(db, installation.appNumber);
  if (app === undefined) throw installationNotFound();
  const { caller, now, url } = call;
  const ask = (resource: string) => call.can(resource, 'updateRepository');
  const params = { repository_id: repository };
  const { repository: opened } = await openRepository(
    kernel,
    { can: ask, caller, now, url, params },
    'admin',
  );
  if (opened.ownerId !== installation.accountId) throw installationNotFound();
  call.requirePermission(`${appResource(app)}:installation/${number}`);
  await changes.run(call, (tx) =>
    changeInstallationRepositories(tx, app, installation, { [verb]: [repository] }),
  );
  return reply(204);
}

export const installationRoutes = [
  getBySlug,
  listAccessible,
  revokeToken,
  listForOrganization,
  listForCaller,
  listReposForCaller,
  addRepository,
  removeRepository,
];
