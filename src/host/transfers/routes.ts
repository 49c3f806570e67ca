// Transfers of repositories to another owner.
import type { Db } from '../../kernel/storage/tables.ts';
import { reply } from '../../kernel/route.ts';
import { PlainText, problem, Type } from '../../kernel/schema.ts';
import { findInFamily, sourceNumberOf } from '../forks/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { repositoryRoute, type FoundRepository } from '../repositories/access.ts';
import { checkedName } from '../repositories/change-repository.ts';
import { findCreationOwner } from '../repositories/creation-owner.ts';
import { MinimalRepository, toMinimalRepository } from '../repositories/model.ts';
import { RepositoryParams } from '../repositories/repository-params.ts';
import { showRepositories } from '../repositories/show-repository.ts';
import { transferRepository } from '../repositories/transfer-repository.ts';

const transferTo = repositoryRoute(
  {
    id: 'repos/transfer',
    method: 'POST',
    path: '/repos/{owner}/{repo}/transfer',
    summary: 'Transfer a repository to another owner',
    description:
      'It has the new owner at once, and its former address leads to it. Collaborators stay; teams of the former owner lose it.',
    access: { action: 'updateRepository', others: ['createRepository'], ofOwner: true },
    params: Type.Object(RepositoryParams),
    body: Type.Object(
      {
        new_owner: PlainText({ minLength: 1, maxLength: 100 }),
        new_name: Type.Optional(PlainText({ minLength: 1, maxLength: 100 })),
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
    const owner = await findCreationOwner(db, caller, body.new_owner, repository.isPrivate);
    call.demand(`repo/${owner.login}/${name}`, 'createRepository');
    const moved = await kernel.changes.run(call, async (on) => {
      const transferred = await transferRepository(on, found, { owner, name });
      await demandOnlyOne(on.db, found, owner);
      return transferred;
    });
    const [shown] = await showRepositories(db, caller, [moved.repository]);
    const minimal = toMinimalRepository(shown ?? { ...moved, role: undefined }, base);
    return reply(202, minimal, { location: minimal.url });
  },
);

/** An owner has one repository of each family, so that a fork is found by its owner. */
async function demandOnlyOne(tx: Db, { repository }: FoundRepository, owner: RepositoryOwner): Promise<void> {
  if (repository.ownerId === owner.id) return;
  const others = await findInFamily(tx, owner.id, sourceNumberOf(repository), repository.number);
  if (others !== undefined)
    throw problem('new_owner', 'has a fork of the repository, or its source, already');
}

export const repositoryTransferRoutes = [transferTo];
