// Finds apps, accounts and installations for pages, as far as the visitor may manage them.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { openManagedOwner } from '../app-manifests/app-owner.ts';
import type { HostApp, Installation } from '../apps/app.ts';
import { appNotFound } from '../apps/change-app.ts';
import { installationNotFound, type ShownSelection } from '../apps/change-installation.ts';
import { knowsApp } from '../apps/show-installation.ts';
import { findApp, findAppBySlug } from '../apps/store.ts';
import { findInstallation, findInstallationOn } from '../apps/store-installations.ts';
import { listReachedNumbers } from '../apps/store-reach.ts';
import { ownerOfOrganization } from '../organizations/model.ts';
import { listOrganizationsOf } from '../organizations/store.ts';
import { ownerOfAccount, type RepositoryOwner } from '../owners/model.ts';
import { listRepositoriesFrom } from '../repositories/store-lists.ts';
import { findRepositoryByName } from '../repositories/store.ts';
import type { InstallAccount, OfferedRepositories } from './installation-page.ts';

const MAX_ACCOUNTS = 100;
const MAX_OFFERED = 100;

export async function findNamedApp({ db }: Kernel, slug: string): Promise<HostApp> {
  const app = await findAppBySlug(db, slug);
  if (app === undefined) throw appNotFound();
  return app;
}

/** To those who do not know a private app there is none. */
export async function findKnownApp(
  kernel: Kernel,
  caller: KnownCaller | undefined,
  slug: string,
): Promise<HostApp> {
  const app = await findNamedApp(kernel, slug);
  if (!(await knowsApp(kernel.db, caller, app))) throw appNotFound();
  return app;
}

/** One's own account, and the organizations that one administers; only the owner may install a private app. */
export async function listInstallAccounts(
  db: Db,
  caller: KnownCaller,
  app: HostApp,
): Promise<InstallAccount[]> {
  const account = accountOf(caller);
  const { items } = await listOrganizationsOf(db, account.id, {}, { offset: 0, limit: MAX_ACCOUNTS });
  const owners = [
    ownerOfAccount(account),
    ...items
      .filter(({ membership }) => membership.role === 'admin')
      .map(({ organization }) => ownerOfOrganization(organization)),
  ].filter(({ id }) => mayHave(app, id));
  return await Promise.all(
    owners.map(async (one) => {
      const installation = await findInstallationOn(db, app.number, one.id);
      return { account: one, ...(installation && { installation }) };
    }),
  );
}

export function mayHave({ isPublic, ownerId }: HostApp, accountId: string): boolean {
  return isPublic || ownerId === accountId;
}

export interface OpenedInstallation {
  app: HostApp;
  account: RepositoryOwner;
  installation: Installation;
}

/** To others than those who manage the account there is none. */
export async function openManagedInstallation(
  { db }: Kernel,
  caller: KnownCaller,
  number: number,
): Promise<OpenedInstallation> {
  const installation = await findInstallation(db, number);
  if (installation === undefined || installation.removedAt !== null) throw installationNotFound();
  const app = await findApp(db, installation.appNumber);
  const account = await openManagedOwner(db, caller, installation.accountId).catch((error: unknown) => {
    throw error instanceof Failure ? installationNotFound() : error;
  });
  if (app === undefined) throw installationNotFound();
  return { app, account, installation };
}

/** The same by the address of its page, which names the organization that it is on. */
export async function openInstallation(
  kernel: Kernel,
  caller: KnownCaller,
  number: number,
  org: string | undefined,
): Promise<OpenedInstallation> {
  const opened = await openManagedInstallation(kernel, caller, number);
  const { account } = opened;
  const named = account.type === 'Organization' ? account.login.toLowerCase() : undefined;
  if (named !== org?.toLowerCase()) throw installationNotFound();
  return opened;
}

export async function offerRepositories(
  db: Db,
  account: RepositoryOwner,
  installation?: Installation,
  page = 1,
): Promise<OfferedRepositories> {
  const { items } = await listRepositoriesFrom(
    db,
    [{ ownerId: account.id, viewer: 'all' }],
    {},
    { sort: 'full_name', desc: false },
    { offset: (page - 1) * MAX_OFFERED, limit: MAX_OFFERED + 1 },
  );
  const repositories = items.slice(0, MAX_OFFERED);
  const isAll = installation === undefined || installation.selection === 'all';
  const selected = isAll
    ? new Set<number>()
    : await listReachedNumbers(
        db,
        { installation: installation.number, accountId: account.id, selection: 'selected', only: null },
        repositories.map(({ number }) => number),
      );
  return { repositories, selected, page, hasMore: items.length > MAX_OFFERED, isAll };
}

/** What the page of an installation sends. It may show a part of the repositories only. */
export function shownSelectionIn(form: URLSearchParams): ShownSelection {
  const shown = numbersIn(form, 'shown');
  return { select: isForAll(form) ? 'all' : numbersIn(form, 'repository'), shown };
}

/** The numbers that a form for a new installation selects. Throws for names that the account has no repository of. */
export async function selectedIn(
  db: Db,
  account: RepositoryOwner,
  form: URLSearchParams,
): Promise<'all' | number[]> {
  if (isForAll(form)) return 'all';
  const numbers = numbersIn(form, 'repository');
  const names = (form.get('others') ?? '').split(',').map((name) => name.trim());
  for (const name of names.filter((one) => one !== '').slice(0, MAX_OFFERED)) {
    const found = name.includes('\0') ? undefined : await findRepositoryByName(db, account, name);
    if (found === undefined)
      throw problem('others', `must be repositories of ${account.login}: "${name}" is none`);
    numbers.push(found.number);
  }
  if (numbers.length === 0) throw problem('repository', 'is required: choose at least one');
  return [...new Set(numbers)];
}

function isForAll(form: URLSearchParams): boolean {
  const selection = form.get('selection');
  if (selection !== 'all' && selection !== 'selected') throw problem('selection', 'must be all or selected');
  return selection === 'all';
}

function numbersIn(form: URLSearchParams, field: string): number[] {
  const numbers = form.getAll(field).map(Number);
  if (!numbers.every((number) => Number.isSafeInteger(number) && number > 0 && number < 2 ** 31))
    throw problem(field, 'must be numbers');
  return numbers;
}
