// Who has written what replies show: the account, and what it is to the repository.
import type { Db } from '../../../kernel/storage/tables.ts';
import type { RepositoryOwner } from '../../owners/model.ts';
import { listOwners } from '../../owners/store.ts';
import type { Author } from '../issue.ts';
import { associationOf, type Association } from './associations.ts';
import { listAssociations, type AssociatedRepository } from './store-associations.ts';

/** It is JSON: events keep it for payloads. */
export interface ShownAuthor {
  /** Null where the account is gone. */
  author: RepositoryOwner | null;
  association: Association;
}

/** In their order, in a number of statements that does not depend on how many there are. */
export async function showAuthors(
  db: Db,
  repository: AssociatedRepository,
  authors: readonly Author[],
): Promise<ShownAuthor[]> {
  const ids = authors.flatMap(({ id }) => id ?? []);
  const [owners, associations] = await Promise.all([
    listOwners(db, ids),
    listAssociations(db, repository, ids),
  ]);
  return authors.map((author) => ({
    author: shownAuthor(owners, author),
    association: associationOf(associations, author),
  }));
}

/** Where what was imported has an author without an account, the name is shown. */
export function shownAuthor(
  owners: ReadonlyMap<string, RepositoryOwner>,
  { id, name }: Author,
): RepositoryOwner | null {
  if (id !== null) return owners.get(id) ?? null;
  return name === null ? null : { id: '', number: 0, login: name, type: 'User', isSiteAdmin: false };
}
