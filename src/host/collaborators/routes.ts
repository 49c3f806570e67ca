// Collaborators of a repository: list, check, add and remove them, and what their role is.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, type Call } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { findOwner, listOwners } from '../owners/store.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import {
  openRepository,
  repositoryRoute,
  type FoundRepository,
  RepositoryParams,
} from '../repositories/access.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import { includesRole, parseRole, repositoryResource } from '../repositories/repository.ts';
import { userNotFound } from '../users/access.ts';
import { addCollaborator, removeCollaborator } from './change-collaborators.ts';
import {
  Collaborator,
  CollaboratorPermission,
  NewCollaborator,
  strongestGrant,
  toCollaborator,
  toCollaboratorPermission,
} from './model.ts';
import { listCollaboratorIds, listGrantsOf, type SharedRepository } from './store.ts';

const VIEW = { action: 'viewCollaborators', ofOwner: true } as const;
const UPDATE = { action: 'updateCollaborators', ofOwner: true } as const;
const CollaboratorPath = Type.Object({ ...RepositoryParams, username: Type.String() });

const listCollaborators = repositoryRoute(
  {
    id: 'repos/list-collaborators',
    method: 'GET',
    path: '/repos/{owner}/{repo}/collaborators',
    summary: 'List who has a role on a repository',
    description:
      'Its owner, collaborators, and members of the organization and teams. For those who may push.',
    access: VIEW,
    params: Type.Object(RepositoryParams),
    query: Type.Object({
      affiliation: Type.Optional(OneOf(['outside', 'direct', 'all'])),
      permission: Type.Optional(
        OneOf(['pull', 'triage', 'push', 'maintain', 'admin'], { description: 'Only those who may do this' }),
      ),
      ...HostPageQuery,
    }),
    list: Collaborator,
  },
  'read',
  async (call, { db }, found) => {
    await requirePush(call, db, found);
    const { query, base } = call;
    const slice = pageSliceOf(query);
    const repository = sharedRepository(found);
    const { affiliation = 'all', permission = 'pull' } = query;
    const filter = { affiliation, atLeast: parseRole(permission)! };
    const { ids, total } = await listCollaboratorIds(db, repository, filter, slice);
    const [owners, grants] = await Promise.all([listOwners(db, ids), listGrantsOf(db, repository, ids)]);
    const shown = ids.flatMap((id) => {
      const owner = owners.get(id);
      return owner === undefined ? [] : toCollaborator(owner, strongestGrant(grants.get(id) ?? []), base);
    });
    return new Page(shown, total, slice);
  },
);

const checkCollaborator = repositoryRoute(
  {
    id: 'repos/check-collaborator',
    method: 'GET',
    path: '/repos/{owner}/{repo}/collaborators/{username}',
    summary: 'Check whether a user has a role on a repository',
    description: 'Answered 204 for those in the list of collaborators, and 404 for others.',
    access: VIEW,
    params: CollaboratorPath,
    reply: { 204: null },
  },
  'read',
  async (call, { db }, found) => {
    const user = await readUser(db, call.params.username);
    if (accountOf(call.caller).id === user.id) call.requirePermission(repositoryResource(found));
    else await requirePush(call, db, found);
    const grants = await listGrantsOf(db, sharedRepository(found), [user.id]);
    if (!grants.has(user.id)) throw new Failure('not-found', `${user.login} is not a collaborator`);
    return reply(204);
  },
);

const putCollaborator = repositoryRoute(
  {
    id: 'repos/add-collaborator',
    method: 'PUT',
    path: '/repos/{owner}/{repo}/collaborators/{username}',
    summary: 'Add a collaborator, or change the role of one',
    description: 'There are no invitations: the user is a collaborator at once.',
    access: UPDATE,
    params: CollaboratorPath,
    body: NewCollaborator,
    bodyIsOptional: true,
    reply: { 204: null },
  },
  'admin',
  async (call, { changes }, found) => {
    await changes.run(call, async (tx) => {
      const user = await readUser(tx.db, call.params.username);
      await addCollaborator(tx, found, user, call.body?.permission ?? 'push');
    });
    return reply(204);
  },
);

const deleteCollaboratorRoute = repositoryRoute(
  {
    id: 'repos/remove-collaborator',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/collaborators/{username}',
    summary: 'Remove a collaborator',
    description: 'Collaborators may remove themselves.',
    access: UPDATE,
    params: CollaboratorPath,
    reply: { 204: null },
  },
  'read',
  async (call, kernel, found) => {
    const user = await readUser(kernel.db, call.params.username);
    if (accountOf(call.caller).id === user.id) call.requirePermission(repositoryResource(found));
    else await openRepository(kernel, call, 'admin');
    await kernel.changes.run(call, (tx) => removeCollaborator(tx, found, user));
    return reply(204);
  },
);

const getPermission = repositoryRoute(
  {
    id: 'repos/get-collaborator-permission-level',
    method: 'GET',
    path: '/repos/{owner}/{repo}/collaborators/{username}/permission',
    summary: 'Get the role of a user on a repository',
    access: VIEW,
    params: CollaboratorPath,
    reply: { 200: CollaboratorPermission },
  },
  'read',
  async (call, { db }, found) => {
    call.requirePermission(repositoryResource(found));
    const user = await readUser(db, call.params.username);
    const grants = (await listGrantsOf(db, sharedRepository(found), [user.id])).get(user.id) ?? [];
    const everybody = found.repository.isPrivate ? [] : [{ role: 'read', name: 'read' } as const];
    return toCollaboratorPermission(user, strongestGrant([...grants, ...everybody]), call.base);
  },
);

async function readUser(db: Db, username: string): Promise<RepositoryOwner> {
  const user = await findOwner(db, username);
  if (user === undefined) throw userNotFound(username);
  return user;
}

/** An archived repository is read-only, but its collaborators are shown. */
async function requirePush(
  call: Pick<Call, 'requirePermission'> & { caller: KnownCaller },
  db: Db,
  found: FoundRepository,
): Promise<void> {
  call.requirePermission(repositoryResource(found));
  if (!includesRole(await roleOn(db, call.caller, found.repository), 'write'))
    throw new Failure('denied', 'Must have push access to view repository collaborators.');
}

function sharedRepository({ repository: { number, ownerId }, owner }: FoundRepository): SharedRepository {
  return { number, ownerId, isOwnerOrganization: owner.type === 'Organization' };
}

export const collaboratorRoutes = [
  listCollaborators,
  checkCollaborator,
  putCollaborator,
  deleteCollaboratorRoute,
  getPermission,
];
