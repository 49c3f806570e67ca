// Prepares repositories for replies: with their owners, the caller's roles, and what a fork comes from.
import type { Caller } from '../../kernel/identity/caller.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listOwners } from '../owners/store.ts';
import type { FoundRepository } from './access.ts';
import { roleOn, rolesOn } from './caller-roles.ts';
import type { FullShown, ShownRepository } from './model.ts';
import type { Repository } from './repository.ts';
import { listRepositoriesByNumber } from './store.ts';
import { isWithheld, listWithheld } from './store-visibility.ts';
import { isRepositoryVisible } from './visibility.ts';

/** Without those whose owner is gone meanwhile, and those that the caller does not see. A fork that is withheld counts as archived. */
export async function showRepositories(
  db: Db,
  caller: Caller,
  repositories: readonly Repository[],
): Promise<ShownRepository[]> {
  const [owners, roles, withheld] = await awaitAll([
    listOwners(
      db,
      repositories.map(({ ownerId }) => ownerId),
    ),
    rolesOn(db, caller, repositories),
    listWithheld(db, repositories),
  ]);
  return repositories.flatMap((repository) => {
    const owner = owners.get(repository.ownerId);
    const role = roles.get(repository.number);
    if (owner === undefined || !isRepositoryVisible(caller, { repository, owner, role })) return [];
    const isArchived = repository.isArchived || withheld.has(repository.number);
    return { repository: { ...repository, isArchived }, owner, role };
  });
}

/** The origins of a fork are shown to those who may see them. */
export async function showFully(db: Db, caller: Caller, found: FoundRepository): Promise<FullShown> {
  const { owner } = found;
  const isArchived = found.repository.isArchived || (await isWithheld(db, found.repository));
  const repository = { ...found.repository, isArchived };
  const { parentNumber, sourceNumber } = repository;
  const numbers = [...new Set([parentNumber, sourceNumber].filter((number) => number !== null))];
  const role = await roleOn(db, caller, found.repository);
  if (numbers.length === 0) return { repository, owner, role };
  const origins = await listRepositoriesByNumber(db, numbers);
  const shown = await showRepositories(db, caller, [...origins.values()]);
  const visible = (number: number | null) => shown.find((one) => one.repository.number === number);
  const [parent, source] = [visible(parentNumber), visible(sourceNumber)];
  return { repository, owner, role, ...(parent && { parent }), ...(source && { source }) };
}
