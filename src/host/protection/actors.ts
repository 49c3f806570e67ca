// Who rules for branches name: finds them by name, and shows those who may still push.
import { listAccounts, type Account } from '../../kernel/identity/store-accounts.ts';
import { Failure } from '../../kernel/failure.ts';
import { problem } from '../../kernel/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listGrantsOf } from '../collaborators/store.ts';
import { ownerOfAccount, toSimpleUser } from '../owners/model.ts';
import { findUser } from '../owners/store.ts';
import { findOrganization } from '../organizations/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { includesRole } from '../repositories/repository.ts';
import { showListedTeams } from '../teams/show.ts';
import { findTeamBySlug, listTeamsByNumber } from '../teams/store.ts';
import { loginOfApp, slugOfApp, toApp, type ShownActors } from './model.ts';
import { checkNamedCount, type SentNames } from './requests.ts';
import { ACTOR_PURPOSES, type ActorPurpose } from './rule.ts';
import { listNamedActors, listWritingTeams, type NamedActors } from './store-actors.ts';

/** Throws for names of those who may not push to the repository. */
export async function readActors(
  db: Db,
  found: FoundRepository,
  sent: SentNames,
  field: string,
): Promise<NamedActors> {
  const { users = [], teams = [], apps = [] } = sent;
  if (found.owner.type !== 'Organization')
    throw new Failure('invalid', 'Only organization repositories can have users and team restrictions');
  const accounts = [
    ...(await readAccounts(db, users, { isService: false, field: `${field}/users` })),
    ...(await readAccounts(db, apps.map(loginOfApp), { isService: true, field: `${field}/apps` })),
  ];
  const writers = await listWriters(db, found, accounts);
  const stranger = accounts.find(({ id }) => !writers.has(id));
  if (stranger !== undefined)
    throw stranger.isService
      ? problem(`${field}/apps`, `must have write access: ${slugOfApp(stranger.username)} has not`)
      : problem(`${field}/users`, `must have write access: ${stranger.username} has not`);
  const named = {
    accounts: [...writers],
    teams: await readTeams(db, found, teams, `${field}/teams`),
  };
  checkNamedCount(named.accounts.length + named.teams.length, field);
  return named;
}

async function readAccounts(
  db: Db,
  logins: readonly string[],
  { isService, field }: { isService: boolean; field: string },
): Promise<Account[]> {
  const accounts: Account[] = [];
  for (const login of logins) {
    const account = await findUser(db, login);
    if (account === undefined || (account.isService === true) !== isService)
      throw problem(field, `names what does not exist: ${isService ? slugOfApp(login) : login}`);
    accounts.push(account);
  }
  return accounts;
}

async function readTeams(
  db: Db,
  { repository, owner }: FoundRepository,
  slugs: readonly string[],
  field: string,
): Promise<number[]> {
  if (slugs.length === 0) return [];
  const writing = await listWritingTeams(db, repository);
  const numbers = new Set<number>();
  for (const slug of slugs) {
    const team = await findTeamBySlug(db, owner.id, slug);
    if (team === undefined) throw problem(field, `names what does not exist: ${slug}`);
    if (!writing.has(team.number)) throw problem(field, `must have write access: ${slug} has not`);
    numbers.add(team.number);
  }
  return [...numbers];
}

/** The ids of those among the accounts who may push. */
async function listWriters(
  db: Db,
  { repository: { number, ownerId }, owner }: FoundRepository,
  accounts: readonly Pick<Account, 'id'>[],
): Promise<Set<string>> {
  const ids = [...new Set(accounts.map(({ id }) => id))];
  const shared = { number, ownerId, isOwnerOrganization: owner.type === 'Organization' };
  const grants = await listGrantsOf(db, shared, ids);
  return new Set(ids.filter((id) => grants.get(id)?.some(({ role }) => includesRole(role, 'write'))));
}

export type ActorsByPurpose = Record<ActorPurpose, NamedActors>;

/** Those of the rule who may still push. */
export async function listPresentActors(
  db: Db,
  found: FoundRepository,
  protectionNumber: number,
): Promise<ActorsByPurpose> {
  const named = await listNamedActors(db, protectionNumber);
  const all = [...named.values()];
  const accounts = all.flatMap((one) => one.accounts.map((id) => ({ id })));
  const writers = accounts.length === 0 ? new Set<string>() : await listWriters(db, found, accounts);
  const writing = all.some(({ teams }) => teams.length > 0)
    ? await listWritingTeams(db, found.repository)
    : new Set<number>();
  const present = (purpose: ActorPurpose): NamedActors => {
    const { accounts: ids = [], teams = [] } = named.get(purpose) ?? {};
    return {
      accounts: ids.filter((id) => writers.has(id)),
      teams: teams.filter((team) => writing.has(team)),
    };
  };
  return { push: present('push'), dismiss: present('dismiss'), bypass: present('bypass') };
}

/** By login, slug and number. */
export async function showActors(
  db: Db,
  { owner }: FoundRepository,
  actors: ActorsByPurpose,
  base: string,
): Promise<Record<ActorPurpose, ShownActors>> {
  const all = ACTOR_PURPOSES.map((purpose) => actors[purpose]);
  const accountIds = [...new Set(all.flatMap(({ accounts }) => accounts))];
  const numbers = [...new Set(all.flatMap(({ teams }) => teams))];
  const [accounts, teams, organization] = await Promise.all([
    listAccounts(db, accountIds),
    listTeamsByNumber(db, numbers),
    numbers.length === 0 ? undefined : findOrganization(db, { id: owner.id }),
  ]);
  const shownTeams =
    organization === undefined ? [] : await showListedTeams(db, organization, [...teams.values()], base);
  const show = (purpose: ActorPurpose): ShownActors => {
    const named = actors[purpose];
    const own = named.accounts.flatMap((id) => accounts.get(id) ?? []);
    const sorted = own.toSorted((a, b) => a.number - b.number);
    return {
      users: sorted
        .filter(({ isService }) => isService !== true)
        .map((account) => toSimpleUser(ownerOfAccount(account), base)),
      teams: shownTeams.filter(({ id }) => named.teams.includes(id)).toSorted((a, b) => a.id - b.id),
      apps: sorted.filter(({ isService }) => isService === true).map((account) => toApp(account, base)),
    };
  };
  return { push: show('push'), dismiss: show('dismiss'), bypass: show('bypass') };
}
