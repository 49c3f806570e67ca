// Who can be assigned to issues: everybody with a role on the repository, and where it is public those who take part in the issue.
import type { Db } from '../../../kernel/storage/tables.ts';
import { listGrantsOf, type SharedRepository } from '../../collaborators/store.ts';
import { findUser } from '../../owners/store.ts';
import type { FoundRepository } from '../../repositories/access.ts';
import type { Issue } from '../issue.ts';
import { MAX_ASSIGNEES } from '../issue.ts';
import { invalidField } from '../requests.ts';
import { listCommenters } from './store-people.ts';

export function sharedRepository({
  repository: { number, ownerId },
  owner,
}: FoundRepository): SharedRepository {
  return { number, ownerId, isOwnerOrganization: owner.type === 'Organization' };
}

/** The accounts that have these logins and can be assigned, and the logins of which that is not so. */
export async function findAssignable(
  db: Db,
  found: FoundRepository,
  logins: readonly string[],
  issue?: Issue,
): Promise<{ ids: string[]; unknown: string[] }> {
  const named = await findIds(db, logins);
  const accountIds = [...named.values()].flatMap((id) => id ?? []);
  const grants = await listGrantsOf(db, sharedRepository(found), accountIds);
  const isPublic = !found.repository.isPrivate;
  const participants = issue && isPublic ? await listParticipants(db, issue, accountIds) : [];
  const isAssignable = (id: string | undefined) =>
    id !== undefined && (grants.has(id) || participants.includes(id));
  return {
    ids: [...new Set(accountIds.filter(isAssignable))],
    unknown: [...named].filter(([, id]) => !isAssignable(id)).map(([login]) => login),
  };
}

async function findIds(db: Db, logins: readonly string[]): Promise<Map<string, string | undefined>> {
  const distinct = [...new Map(logins.map((login) => [login.toLowerCase(), login])).values()];
  if (distinct.length > MAX_ASSIGNEES) throw tooManyAssignees();
  return new Map(
    await Promise.all(distinct.map(async (login) => [login, (await findUser(db, login))?.id] as const)),
  );
}

async function listParticipants(db: Db, issue: Issue, accountIds: readonly string[]): Promise<string[]> {
  const authors = accountIds.filter((id) => id === issue.author.id);
  return [...authors, ...(await listCommenters(db, issue.id, accountIds))];
}

export function tooManyAssignees() {
  return invalidField('assignees', `has too many (maximum is ${MAX_ASSIGNEES})`, 'custom');
}
