// Transfers of repositories to another owner.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { reply } from '../../kernel/http/route.ts';
import { Failure } from '../../kernel/failure.ts';
import { PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import { upsertCollaborator } from '../collaborators/store.ts';
import { findInFamily, sourceNumberOf } from '../forks/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { repositoryRoute, type FoundRepository, RepositoryParams } from '../repositories/access.ts';
import { checkedName } from '../repositories/changes/change-repository.ts';
import { findCreationOwner } from '../repositories/changes/creation-owner.ts';
import { MinimalRepository, toMinimalRepository } from '../repositories/model.ts';
import { showRepositories } from '../repositories/show-repository.ts';
import { transferRepository } from '../repositories/changes/transfer-repository.ts';
import { giveToTeams } from '../teams/change.ts';

const transferTo = repositoryRoute(
  {
    id: 'repos/transfer',
    method: 'POST',
    path: '/repos/{owner}/{repo}/transfer',
    summary: 'Transfer a repository to another owner',
    description:
      'It has the new owner at once, and its former address leads to it. Collaborators stay, and a user who owned it becomes one; teams of the former owner lose it.',
    access: { action: 'updateRepository', others: ['createRepository'], ofOwner: true },
    params: Type.Object(RepositoryParams),
    body: Type.Object(
      {
        new_owner: PlainText({ minLength: 1, maxLength: 100 }),
        new_name: Type.Optional(PlainText({ minLength: 1, maxLength: 100 })),
        team_ids: Type.Optional(
          Type.Array(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }), {
            maxItems: 100,
            description: 'Teams of the new owner, an organization, that get the repository',
          }),
        ),
      },
      { $id: 'repository-transfer' },
    ),
    reply: { 202: MinimalRepository },
  },
  'admin',
  async (call, kernel, found) => {
    const { body, caller, base } = call;
    const { db } = kernel;
    const { repository } = found;
    const name = body.new_name === undefined ? repository.name : checkedName(body.new_name);
    const owner = await findNewOwner(db, caller, body.new_owner, repository.isPrivate);
    call.requirePermission(`repo/${owner.login}/${name}`, 'createRepository');
    const moved = await kernel.changes.run(call, async (tx) => {
      const transferred = await transferRepository(tx, found, { owner, name }, (updated) =>
        grantAfterTransfer(
          tx,
          caller,
          { repository: updated, owner },
          { from: found.owner, teamIds: body.team_ids ?? [] },
        ),
      );
      await requireOnlyOne(tx.db, found, owner);
      return transferred;
    });
    const [shown] = await showRepositories(db, caller, [moved.repository]);
    const minimal = toMinimalRepository(shown ?? { ...moved, role: undefined }, base);
    return reply(202, minimal, { location: minimal.url });
  },
);

/** As the owner of a new repository: the caller, or an organization of theirs. */
async function findNewOwner(
  db: Db,
  caller: KnownCaller,
  login: string,
  isPrivate: boolean,
): Promise<RepositoryOwner> {
  try {
    return await findCreationOwner(db, caller, login, isPrivate);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'not-found') throw error;
    throw problem('new_owner', 'must be you, or an organization in which you may create repositories');
  }
}

/** The user who owned it can still push to it, and the teams have what they have on new repositories. */
async function grantAfterTransfer(
  tx: ChangeTransaction,
  caller: KnownCaller,
  moved: FoundRepository,
  { from, teamIds }: { from: RepositoryOwner; teamIds: readonly number[] },
): Promise<void> {
  if (from.type !== 'Organization')
    await upsertCollaborator(
      tx.db,
      moved.repository.number,
      { accountId: from.id, role: 'write' },
      tx.actor.now,
    );
  await giveToTeams(tx, caller, moved, { field: 'team_ids', ids: teamIds });
}

/** An owner has one repository of each family, so that a fork is found by its owner. */
async function requireOnlyOne(
  tx: Db,
  { repository }: FoundRepository,
  owner: RepositoryOwner,
): Promise<void> {
  if (repository.ownerId === owner.id) return;
  const others = await findInFamily(tx, owner.id, sourceNumberOf(repository), repository.number);
  if (others !== undefined)
    throw problem('new_owner', 'has a fork of the repository, or its source, already');
}

export const repositoryTransferRoutes = [transferTo];
