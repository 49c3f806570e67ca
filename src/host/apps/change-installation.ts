// Creates, changes, suspends and removes installations, inside a transaction with the audit entry and the event.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { schedule } from '../../kernel/jobs/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { shareLockOwner } from '../owners/store.ts';
import type { HostApp, Installation } from './app.ts';
import { lockApp } from './change-app.ts';
import { commonPermissions, type AppPermissions } from './permissions.ts';
import { recordInstallation } from './record-installation.ts';
import { insertInstallation, lockInstallation, updateInstallation } from './store-installations.ts';
import {
  deleteInstallationRepositories,
  insertInstallationRepositories,
  listReachedNumbers,
  listReachedRepositories,
} from './store-reach.ts';
import { deleteInstallationTokens } from './store-tokens.ts';

/** The due work that removes an installation; its payload is the number. */
export const REMOVE_INSTALLATION = 'host.remove-installation';

export interface InstallationDraft {
  app: HostApp;
  account: RepositoryOwner;
  /** Numbers of repositories of the account, or all, those of the future included. */
  repositories: 'all' | readonly number[];
  /** At most those of the app, which are the default. */
  permissions?: AppPermissions;
  events?: readonly string[];
}

/** Repositories that one event names at most. */
const MAX_NAMED = 100;
const MAX_SELECTED = 5000;

/** The caller has checked that the actor may install apps on the account. */
export async function createInstallation(
  tx: ChangeTransaction,
  { app, account, repositories, permissions = app.permissions, events = app.events }: InstallationDraft,
): Promise<Installation> {
  const { db, actor } = tx;
  // Both may have been deleted since they were read: nothing would remove the installation later.
  await shareLockOwner(db, account);
  await lockApp(db, app);
  const installation = await insertInstallation(
    db,
    {
      appNumber: app.number,
      accountId: account.id,
      targetType: account.type === 'Organization' ? 'Organization' : 'User',
      selection: repositories === 'all' ? 'all' : 'selected',
      permissions: commonPermissions(app.permissions, permissions),
      events: events.filter((name) => app.events.includes(name)),
      rightsRevision: app.rightsRevision,
    },
    actor.now,
  );
  if (installation === undefined)
    throw new Failure('conflict', 'The app is already installed on this account.', {
      code: 'already_installed',
    });
  if (repositories !== 'all') await addRepositories(db, installation, repositories);
  await recordInstallation(
    tx,
    app,
    { after: installation },
    { action: 'created', repositories: await namedRepositories(db, installation) },
  );
  await tx.invalidate(IDENTITY);
  return installation;
}

/** What a form selects: of the selection, it changes only what it showed. */
export interface ShownSelection {
  select: 'all' | readonly number[];
  /** The repositories that were shown as selected. Others stay. */
  shown: readonly number[];
}

/** Of one that selects repositories: adds and removes some. `all` and a list replace the selection. */
export async function changeInstallationRepositories(
  tx: ChangeTransaction,
  app: HostApp,
  { number }: Pick<Installation, 'number'>,
  change:
    | { add?: readonly number[]; remove?: readonly number[] }
    | { select: 'all' | readonly number[]; shown?: readonly number[] },
): Promise<Installation> {
  const { db, actor } = tx;
  const before = await lockLiving(db, number);
  const held = new Set(before.selection === 'all' ? [] : await listSelected(db, before));
  let selection = before.selection;
  let [add, remove]: [readonly number[], readonly number[]] = [[], []];
  if ('select' in change) {
    selection = change.select === 'all' ? 'all' : 'selected';
    const wanted = new Set(change.select === 'all' ? [] : change.select);
    const isPart = change.select !== 'all' && before.selection !== 'all' && change.shown !== undefined;
    const compared = isPart ? new Set(change.shown) : held;
    add = [...wanted].filter((one) => !compared.has(one) && !held.has(one));
    remove = [...compared].filter((one) => !wanted.has(one) && held.has(one));
  } else {
    if (selection === 'all')
      throw new Failure('invalid', 'The installation reaches all repositories: select some of them first.');
    add = (change.add ?? []).filter((one) => !held.has(one));
    remove = (change.remove ?? []).filter((one) => held.has(one));
  }
  const isSame = selection === before.selection && add.length === 0 && remove.length === 0;
  if (isSame) return before;
  if ('shown' in change && selection === 'selected' && held.size + add.length === remove.length)
    throw problem('repository', 'is required: choose at least one');
  if (held.size + add.length - remove.length > MAX_SELECTED)
    throw problem('repositories', `must be at most ${MAX_SELECTED}: install the app on all instead`);
  const after = await updateInstallation(db, { ...before, selection }, actor.now);
  await deleteInstallationRepositories(db, number, remove);
  await addRepositories(db, after, add);
  await recordInstallation(tx, app, { before, after }, { added: add, removed: remove });
  await tx.invalidate(IDENTITY);
  return after;
}

/** The account agrees to what the app asks for in this revision: it has been shown what that is. */
export async function acceptAppRights(
  tx: ChangeTransaction,
  { slug, number: appNumber }: Pick<HostApp, 'slug' | 'number'>,
  { number }: Pick<Installation, 'number'>,
  revision: number,
): Promise<Installation> {
  const { db, actor } = tx;
  const app = await lockApp(db, { slug, number: appNumber });
  const before = await lockLiving(db, number);
  if (app.rightsRevision !== revision)
    throw new Failure('conflict', 'The app asks for something else by now. Look at it again.');
  const { permissions, events } = app;
  const wanted = { ...before, permissions, events, rightsRevision: revision };
  const after = await updateInstallation(db, wanted, actor.now);
  await recordInstallation(
    tx,
    app,
    { before, after },
    { action: 'new_permissions_accepted', repositories: await namedRepositories(db, after) },
  );
  await tx.invalidate(IDENTITY);
  return after;
}

/** Its tokens end at once, and are valid again after `unsuspendInstallation`, unless they have expired meanwhile. */
export async function suspendInstallation(
  tx: ChangeTransaction,
  app: HostApp,
  installation: Pick<Installation, 'number'>,
): Promise<Installation> {
  const { caller } = tx.actor;
  const by = caller?.program === undefined ? (caller?.account?.id ?? caller?.member.id ?? null) : null;
  return await changeSuspension(tx, app, installation, { suspendedAt: tx.actor.now, suspendedBy: by });
}

export async function unsuspendInstallation(
  tx: ChangeTransaction,
  app: HostApp,
  installation: Pick<Installation, 'number'>,
): Promise<Installation> {
  return await changeSuspension(tx, app, installation, { suspendedAt: null, suspendedBy: null });
}

async function changeSuspension(
  tx: ChangeTransaction,
  app: HostApp,
  { number }: Pick<Installation, 'number'>,
  fields: Pick<Installation, 'suspendedAt' | 'suspendedBy'>,
): Promise<Installation> {
  const { db, actor } = tx;
  const before = await lockLiving(db, number);
  const isSuspended = fields.suspendedAt !== null;
  if ((before.suspendedAt !== null) === isSuspended) return before;
  const after = await updateInstallation(db, { ...before, ...fields }, actor.now);
  const action = isSuspended ? 'suspend' : 'unsuspend';
  await recordInstallation(
    tx,
    app,
    { before, after },
    { action, repositories: await namedRepositories(db, after) },
  );
  await tx.invalidate(IDENTITY);
  return after;
}

/** It has no rights from then on, and background work deletes its rows; until then it can be read. */
export async function removeInstallation(
  tx: ChangeTransaction,
  app: HostApp,
  { number }: Pick<Installation, 'number'>,
): Promise<void> {
  const { db, actor } = tx;
  const before = await lockInstallation(db, number);
  if (before === undefined || before.removedAt !== null) return;
  const repositories = await namedRepositories(db, before);
  await updateInstallation(db, { ...before, removedAt: actor.now }, actor.now);
  await deleteInstallationTokens(db, number);
  await recordInstallation(tx, app, { before }, { action: 'deleted', repositories });
  const work = { id: `${REMOVE_INSTALLATION}:${number}`, kind: REMOVE_INSTALLATION, payload: String(number) };
  await schedule(db, { ...work, dueAt: actor.now }, actor.now);
  await tx.invalidate(IDENTITY);
}

async function lockLiving(tx: Db, number: number): Promise<Installation> {
  const installation = await lockInstallation(tx, number);
  if (installation === undefined || installation.removedAt !== null) throw installationNotFound();
  return installation;
}

export function installationNotFound(): Failure {
  return new Failure('not-found', 'There is no such installation');
}

/** Throws for repositories that the account does not own. */
async function addRepositories(
  tx: Db,
  installation: Installation,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length > MAX_SELECTED) throw problem('repositories', `must be at most ${MAX_SELECTED}`);
  const { number, accountId } = installation;
  const owned = { installation: number, accountId, selection: 'all' as const, only: null };
  const found = await listReachedNumbers(tx, owned, numbers);
  const foreign = numbers.find((one) => !found.has(one));
  if (foreign !== undefined) throw problem('repositories', `must be of the account: ${foreign} is not`);
  await insertInstallationRepositories(tx, number, numbers);
}

async function listSelected(tx: Db, { number, accountId }: Installation): Promise<number[]> {
  const reach = { installation: number, accountId, selection: 'selected' as const, only: null };
  return await listReachedRepositories(tx, reach, { offset: 0, limit: MAX_SELECTED });
}

/** Those that an event of the installation names. */
export async function namedRepositories(
  tx: Db,
  { number, accountId, selection }: Installation,
): Promise<number[]> {
  const reach = { installation: number, accountId, selection, only: null };
  return await listReachedRepositories(tx, reach, { offset: 0, limit: MAX_NAMED });
}
