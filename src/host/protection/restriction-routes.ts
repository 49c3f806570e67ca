// Who may push to a protected branch: users, teams and apps.
import { Failure } from '../../kernel/failure.ts';
import { reply } from '../../kernel/http/route.ts';
import { listAccounts } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { SimpleUser } from '../owners/model.ts';
import { repositoryRoute, type FoundRepository } from '../repositories/access.ts';
import { ListedTeam } from '../teams/model.ts';
import { listTeamsByNumber } from '../teams/store.ts';
import { showActors, readActors } from './actors.ts';
import { branchNotProtected, changeProtection, NOBODY, type FullProtection } from './change-protection.ts';
import {
  AppReply,
  RestrictionPolicy,
  toRestrictionPolicy,
  type ShownActors,
  isAppAccount,
  slugOfApp,
} from './model.ts';
import { openProtectedBranch, openProtection, updateAt, viewAt } from './protection-place.ts';
import { AppList, TeamList, UserList, checkNamedCount } from './requests.ts';
import type { NamedActors } from './store-actors.ts';

const RESTRICTIONS = '/restrictions';

const getRestrictions = repositoryRoute(
  {
    id: 'repos/get-access-restrictions',
    method: 'GET',
    ...viewAt(RESTRICTIONS),
    summary: 'Get who may push to a branch',
    reply: { 200: RestrictionPolicy },
  },
  'admin',
  async (call, kernel, found) => {
    const { protection, url } = await openProtection(kernel, found, call);
    return toRestrictionPolicy(await showPushers(kernel, found, protection, call.base), url);
  },
);

const deleteRestrictions = repositoryRoute(
  {
    id: 'repos/delete-access-restrictions',
    method: 'DELETE',
    ...updateAt(RESTRICTIONS),
    summary: 'Let everybody with write access push to a branch',
    reply: { 204: null },
  },
  'admin',
  async (call, kernel, found) => {
    const { branch } = await openProtectedBranch(kernel, found, call);
    await changeProtection(kernel, call, found, branch, (_tx, before) => {
      const { rule } = requireRestricted(before);
      return Promise.resolve({ rule: { ...rule, isRestricted: false }, actors: { push: NOBODY.push } });
    });
    return reply(204);
  },
);

const KINDS = {
  users: { id: 'user', list: Type.Array(SimpleUser), body: UserList },
  teams: { id: 'team', list: Type.Array(ListedTeam), body: TeamList },
  apps: { id: 'app', list: Type.Array(AppReply), body: AppList },
} as const;

const listRoute = (kind: ActorKind) =>
  repositoryRoute(
    {
      id: `repos/get-${kind}-with-access-to-protected-branch`,
      method: 'GET',
      ...viewAt(`${RESTRICTIONS}/${kind}`),
      summary: `List the ${kind} that may push to a branch`,
      reply: { 200: KINDS[kind].list },
    },
    'admin',
    async (call, kernel, found) => {
      const { protection } = await openProtection(kernel, found, call);
      return (await showPushers(kernel, found, protection, call.base))[kind];
    },
  );

type EditPushers = (
  tx: Db,
  found: FoundRepository,
  before: NamedActors,
  kind: ActorKind,
  names: readonly string[],
) => Promise<NamedActors>;

const EDITS: Record<'POST' | 'PUT' | 'DELETE', { id: string; summary: string; edit: EditPushers }> = {
  POST: { id: 'add', summary: 'Add to the', edit: addPushers },
  PUT: { id: 'set', summary: 'Replace the', edit: setPushers },
  DELETE: {
    id: 'remove',
    summary: 'Remove from the',
    edit: (tx, _found, before, kind, names) => removePushers(tx, before, kind, names),
  },
};

const editRoute = (kind: ActorKind, method: keyof typeof EDITS) =>
  repositoryRoute(
    {
      id: `repos/${EDITS[method].id}-${KINDS[kind].id}-access-restrictions`,
      method,
      ...updateAt(`${RESTRICTIONS}/${kind}`),
      summary: `${EDITS[method].summary} ${kind} that may push to a branch`,
      description: 'An object with the list, or the list itself.',
      body: KINDS[kind].body,
      reply: { 200: KINDS[kind].list },
    },
    'admin',
    async (call, kernel, found) => {
      const { branch } = await openProtectedBranch(kernel, found, call);
      const sent = call.body as string[] | Record<string, string[]>;
      const names = Array.isArray(sent) ? sent : sent[kind]!;
      const after = await changeProtection(kernel, call, found, branch, async (tx, before) => {
        const { rule, actors } = requireRestricted(before);
        return { rule, actors: { push: await EDITS[method].edit(tx, found, actors.push, kind, names) } };
      });
      return (await showPushers(kernel, found, after, call.base))[kind];
    },
  );

async function showPushers(
  { db }: Kernel,
  found: FoundRepository,
  protection: FullProtection,
  base: string,
): Promise<ShownActors> {
  const { actors } = requireRestricted(protection);
  return (await showActors(db, found, actors, base)).push;
}

function requireRestricted(protection: FullProtection | undefined): FullProtection {
  if (protection === undefined) throw branchNotProtected();
  if (protection.rule.isRestricted) return protection;
  throw new Failure('not-found', 'Push restrictions not enabled', { code: 'not-enabled' });
}

type ActorKind = 'users' | 'teams' | 'apps';

async function addPushers(
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
async function setPushers(
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
async function removePushers(
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

export const restrictionRoutes = [
  getRestrictions,
  deleteRestrictions,
  ...(['apps', 'teams', 'users'] as const).flatMap((kind) => [
    listRoute(kind),
    editRoute(kind, 'POST'),
    editRoute(kind, 'PUT'),
    editRoute(kind, 'DELETE'),
  ]),
];
