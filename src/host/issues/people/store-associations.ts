// What authors are to a repository, as `author_association` says.
import { sql } from 'kysely';
import { chunk } from '../../../kernel/collections/chunk.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import type { Association } from './associations.ts';

/** A repository, as far as associations ask for it. */
export interface AssociatedRepository {
  number: number;
  ownerId: string;
}

/** The facet of those whose pull requests the repository has merged. */
export const mergedIn = (number: number, accountId: string) => `R${number}/merged/${accountId}`;

/** By account. An author without an account is a mannequin, and not in the answer. */
export async function listAssociations(
  db: Db,
  repository: AssociatedRepository,
  accountIds: readonly string[],
): Promise<Map<string, Association>> {
  const pairs = accountIds.map((accountId) => ({ repository, accountId }));
  return (await listAssociationsIn(db, pairs))(repository.number);
}

interface AuthorIn {
  repository: AssociatedRepository;
  accountId: string;
}

interface FoundAssociation {
  repository_number: number;
  account_id: string;
  association: Association;
}

/** The same for several repositories: by their numbers. */
export async function listAssociationsIn(
  db: Db,
  authors: readonly AuthorIn[],
): Promise<(repositoryNumber: number) => Map<string, Association>> {
  const associations = new Map<number, Map<string, Association>>();
  const within = (number: number) => associations.get(number) ?? new Map<string, Association>();
  const others = new Map<string, AuthorIn>();
  for (const author of authors) {
    const { repository, accountId } = author;
    const { number, ownerId } = repository;
    if (accountId === ownerId) associations.set(number, within(number).set(accountId, 'OWNER'));
    else others.set(`${number}/${accountId}`, author);
  }
  for (const some of chunk([...others.values()], PAIRS_AT_ONCE))
    for (const { repository_number: number, account_id: id, association } of await listPairs(db, some)) {
      if (!others.has(`${number}/${id}`)) continue;
      const own = within(number);
      if (rankOf(association) > rankOf(own.get(id))) associations.set(number, own.set(id, association));
    }
  return within;
}

/** Each is a part of the statement, and SQLite takes 500 of them. */
const PAIRS_AT_ONCE = 200;

async function listPairs(db: Db, authors: readonly AuthorIn[]): Promise<FoundAssociation[]> {
  const accountIds = sql.join([...new Set(authors.map(({ accountId }) => accountId))]);
  const numbers = sql.join([...new Set(authors.map(({ repository }) => repository.number))]);
  const merged = authors.map(
    ({ repository: { number }, accountId }) => sql`
      select cast(${number} as bigint), ${accountId}, 'CONTRIBUTOR'
      where exists (select 1 from issue_facets where facet = ${mergedIn(number, accountId)})`,
  );
  const { rows } = await sql<FoundAssociation>`
    select cast(repository_number as bigint) as repository_number, account_id, 'COLLABORATOR' as association
    from collaborators
    where repository_number in (${numbers}) and account_id in (${accountIds})
    union all
    select cast(repositories.number as bigint), member.account_id, 'MEMBER'
    from repositories join organization_members as member on member.organization_id = repositories.owner_id
    where repositories.number in (${numbers}) and member.account_id in (${accountIds})
    union all ${sql.join(merged, sql` union all `)}`.execute(db);
  return rows;
}

const RANKS: readonly (Association | undefined)[] = [undefined, 'CONTRIBUTOR', 'COLLABORATOR', 'MEMBER'];

function rankOf(association: Association | undefined): number {
  return RANKS.indexOf(association);
}
