// Who rules for branches name: finds them by name, and shows those who may still push.
import { listAccounts, type Account } from '../../kernel/identity/store-accounts.ts';
import { Failure } from '../../kernel/failure.ts';
import { problem, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { showApp } from '../apps/show-installation.ts';
import { findAppBySlug } from '../apps/store.ts';
import { ownerOfAccount, toSimpleUser } from '../owners/model.ts';
import { findUser } from '../owners/store.ts';
import { findOrganization } from '../organizations/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { showListedTeams } from '../teams/show.ts';
import { findTeamBySlug, listTeamsByNumber } from '../teams/store.ts';
import { isAppAccount, loginsOfApp, slugOfApp, toApp, type AppReply, type ShownActors } from './model.ts';
import { checkNamedCount, type SentNames } from './requests.ts';
import { ACTOR_PURPOSES, type ActorPurpose } from './rule.ts';
import { listNamedActors, listWritingTeams, type NamedActors } from './store-actors.ts';
import { listWriters } from './writers.ts';

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
    ...(await readUsers(db, users, `${field}/users`)),
    ...(await readApps(db, apps, `${field}/apps`)),
  ];
  const writers = await listWriters(
    db,
    found,
    accounts.map(({ id }) => id),
  );
  const stranger = accounts.find(({ id }) => !writers.has(id));
  if (stranger !== undefined)
    throw isAppAccount(stranger)
      ? problem(`${field}/apps`, `must have write access: ${slugOfApp(stranger.username)} has not`)
      : problem(`${field}/users`, `must have write access: ${stranger.username} has not`);
  const named = {
    accounts: [...writers],
    teams: await readTeams(db, found, teams, `${field}/teams`),
  };
  checkNamedCount(named.accounts.length + named.teams.length, field);
  return named;
}

async function readUsers(db: Db, logins: readonly string[], field: string): Promise<Account[]> {
  const accounts: Account[] = [];
  for (const login of logins) {
    const account = await findUser(db, login);
    if (account === undefined || isAppAccount(account))
      throw problem(field, `names what does not exist: ${login}`);
    accounts.push(account);
  }
  return accounts;
}

/** An app has precedence over a service token of the same slug, which is then named by its login. */
async function readApps(db: Db, slugs: readonly string[], field: string): Promise<Account[]> {
  const accounts: Account[] = [];
  for (const slug of slugs) {
    let account: Account | undefined;
    for (const login of loginsOfApp(slug)) account ??= await findUser(db, login);
    if (account === undefined || !isAppAccount(account))
      throw problem(field, `names what does not exist: ${slugOfApp(slug)}`);
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

export type ActorsByPurpose = Record<ActorPurpose, NamedActors>;

/** Those of the rule who may still push. */
export async function listPresentActors(
  db: Db,
  found: FoundRepository,
  protectionNumber: number,
): Promise<ActorsByPurpose> {
  const named = await listNamedActors(db, protectionNumber);
  const all = [...named.values()];
  const writers = await listWriters(
    db,
    found,
    all.flatMap(({ accounts }) => accounts),
  );
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
  const apps = await showNamedApps(db, [...accounts.values()], base);
  const shownTeams =
    organization === undefined ? [] : await showListedTeams(db, organization, [...teams.values()], base);
  const show = (purpose: ActorPurpose): ShownActors => {
    const named = actors[purpose];
    const own = named.accounts.flatMap((id) => accounts.get(id) ?? []);
    const sorted = own.toSorted((a, b) => a.number - b.number);
    return {
      users: sorted
        .filter((account) => !isAppAccount(account))
        .map((account) => toSimpleUser(ownerOfAccount(account), base)),
      teams: shownTeams.filter(({ id }) => named.teams.includes(id)).toSorted((a, b) => a.id - b.id),
      apps: sorted.flatMap(({ id }) => apps.get(id) ?? []),
    };
  };
  return { push: show('push'), dismiss: show('dismiss'), bypass: show('bypass') };
}

/** By account. A bot is shown as its app, which may be gone. */
async function showNamedApps(
  db: Db,
  accounts: readonly Account[],
  base: string,
): Promise<Map<string, Static<typeof AppReply>>> {
  const shown = new Map<string, Static<typeof AppReply>>();
  for (const account of accounts.filter(isAppAccount)) {
    const app = account.isBot && (await findAppBySlug(db, slugOfApp(account.username)));
    if (account.isService) shown.set(account.id, toApp(account, base));
    if (!app) continue;
    const { client_id: _client, ...known } = await showApp(db, app, base, { isCounted: false });
    const permissions = known.permissions as Record<string, string>;
    shown.set(account.id, { ...known, permissions, description: known.description ?? '' });
  }
  return shown;
}
