// Finds out who the owners of CODEOWNERS are: those who exist and may write to the repository.
import type { Db } from '../../kernel/storage/tables.ts';
import { listAuthors } from '../owners/store.ts';
import { listWritingTeams } from '../protection/store-actors.ts';
import { listReviewersWhoWrite } from '../protection/writers.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { CodeOwner } from './parse.ts';
import { listMembersByLogin, listTeamsBySlug } from './store.ts';

/** By `ownerKey`. Owners that nobody is, or who may not write, are in neither. */
interface KnownOwners {
  accounts: ReadonlyMap<string, string>;
  teams: ReadonlyMap<string, number>;
}

/** Names are the same in whatever case. */
export function ownerKey({ kind, name }: Pick<CodeOwner, 'kind' | 'name'>): string {
  return `${kind}:${name.toLowerCase()}`;
}

export async function findOwners(
  db: Db,
  found: FoundRepository,
  owners: readonly CodeOwner[],
): Promise<KnownOwners> {
  const accounts = await findAccounts(db, owners);
  const writers = await listReviewersWhoWrite(db, found, [...new Set(accounts.values())]);
  return {
    accounts: new Map([...accounts].filter(([, id]) => writers.has(id))),
    teams: await findTeams(db, found, owners),
  };
}

async function findAccounts(db: Db, owners: readonly CodeOwner[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [login, id] of await listMembersByLogin(db, namesOf(owners, 'user')))
    found.set(ownerKey({ kind: 'user', name: login }), id);
  for (const [email, { id }] of await listAuthors(db, namesOf(owners, 'email')))
    found.set(ownerKey({ kind: 'email', name: email }), id);
  return found;
}

/** Of the organization that owns the repository, as no other team can have a role on it. */
async function findTeams(
  db: Db,
  { repository, owner }: FoundRepository,
  owners: readonly CodeOwner[],
): Promise<Map<string, number>> {
  const start = `${owner.login.toLowerCase()}/`;
  const names = namesOf(owners, 'team').filter((name) => name.startsWith(start));
  if (owner.type !== 'Organization' || names.length === 0) return new Map();
  const slugs = names.map((name) => name.slice(start.length));
  const writing = await listWritingTeams(db, repository);
  const found = new Map<string, number>();
  for (const [slug, number] of await listTeamsBySlug(db, owner.id, slugs))
    if (writing.has(number)) found.set(ownerKey({ kind: 'team', name: start + slug }), number);
  return found;
}

function namesOf(owners: readonly CodeOwner[], kind: CodeOwner['kind']): string[] {
  const own = owners.filter((owner) => owner.kind === kind);
  return [...new Set(own.map(({ name }) => name.toLowerCase()))];
}
