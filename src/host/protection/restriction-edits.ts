// Changes of who may push to a protected branch, by the kind of those who are named.
import { listAccounts } from '../../kernel/identity/store-accounts.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { listTeamsByNumber } from '../teams/store.ts';
import { readActors } from './actors.ts';
import { isAppAccount, slugOfApp } from './model.ts';
import { checkNamedCount } from './requests.ts';
import type { NamedActors } from './store-actors.ts';

export type ActorKind = 'users' | 'teams' | 'apps';

export async function addPushers(
  tx: Db,
  found: FoundRepository,
  before: NamedActors,
  kind: ActorKind,
  names: readonly string[],
): Promise<NamedActors> {
  const added = await readActors(tx, found, { [kind]: names }, '');
  return limited(joined(before, added), kind);
}

/** Those of other kinds stay. */
export async function setPushers(
  tx: Db,
  found: FoundRepository,
  before: NamedActors,
  kind: ActorKind,
  names: readonly string[],
): Promise<NamedActors> {
  const set = await readActors(tx, found, { [kind]: names }, '');
  const own = await listNames(tx, before, kind);
  return limited(joined(without(before, new Set(own.keys())), set), kind);
}

/** Names that are not there are not an error: that is what the caller wants. */
export async function removePushers(
  tx: Db,
  before: NamedActors,
  kind: ActorKind,
  names: readonly string[],
): Promise<NamedActors> {
  const unwanted = new Set(names.map((name) => foldedName(kind, name)));
  const own = await listNames(tx, before, kind);
  const gone = [...own].filter(([, name]) => unwanted.has(foldedName(kind, name))).map(([id]) => id);
  return without(before, new Set(gone));
}

/** Of one kind: the names by the id of the account or the number of the team. */
async function listNames(
  tx: Db,
  { accounts, teams }: NamedActors,
  kind: ActorKind,
): Promise<Map<string | number, string>> {
  if (kind === 'teams') {
    const known = await listTeamsByNumber(tx, teams);
    return new Map([...known.values()].map(({ number, slug }) => [number, slug]));
  }
  const known = await listAccounts(tx, accounts);
  const own = [...known.values()].filter((account) => isAppAccount(account) === (kind === 'apps'));
  return new Map(own.map(({ id, username }) => [id, username]));
}

function foldedName(kind: ActorKind, name: string): string {
  return (kind === 'apps' ? slugOfApp(name) : name).toLowerCase();
}

function joined(one: NamedActors, other: NamedActors): NamedActors {
  return {
    accounts: [...new Set([...one.accounts, ...other.accounts])],
    teams: [...new Set([...one.teams, ...other.teams])],
  };
}

function without({ accounts, teams }: NamedActors, gone: ReadonlySet<string | number>): NamedActors {
  return { accounts: accounts.filter((id) => !gone.has(id)), teams: teams.filter((team) => !gone.has(team)) };
}

function limited(actors: NamedActors, field: string): NamedActors {
  checkNamedCount(actors.accounts.length + actors.teams.length, field);
  return actors;
}
