// What authors are to a repository, as `author_association` says.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
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
  { number, ownerId }: AssociatedRepository,
  accountIds: readonly string[],
): Promise<Map<string, Association>> {
  const others = [...new Set(accountIds)].filter((id) => id !== ownerId);
  const associations = new Map<string, Association>(accountIds.includes(ownerId) ? [[ownerId, 'OWNER']] : []);
  if (others.length === 0) return associations;
  const merged = others.map(
    (id) => sql`
      select ${id} as account_id, 'CONTRIBUTOR' as association
      where exists (select 1 from issue_facets where facet = ${mergedIn(number, id)})`,
  );
  const { rows } = await sql<{ account_id: string; association: Association }>`
    select account_id, 'COLLABORATOR' as association from collaborators
    where repository_number = ${number} and account_id in (${sql.join(others)})
    union all
    select account_id, 'MEMBER' from organization_members
    where organization_id = ${ownerId} and account_id in (${sql.join(others)})
    union all ${sql.join(merged, sql` union all `)}`.execute(db);
  for (const { account_id: id, association } of rows)
    if (rankOf(association) > rankOf(associations.get(id))) associations.set(id, association);
  return associations;
}

const RANKS: readonly (Association | undefined)[] = [undefined, 'CONTRIBUTOR', 'COLLABORATOR', 'MEMBER'];

function rankOf(association: Association | undefined): number {
  return RANKS.indexOf(association);
}
