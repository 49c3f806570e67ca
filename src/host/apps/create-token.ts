// Creates tokens of installations, narrowed to repositories and permissions.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { newSecret } from '../../kernel/secrets/secret.ts';
import { problem, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listOwners } from '../owners/store.ts';
import type { Installation } from './app.ts';
import { INSTALLATION_TOKEN_PREFIX } from './installation-tokens.ts';
import type { TokenRequest } from './model.ts';
import { checkedPermissions, excessPermission, type AppPermissions } from './permissions.ts';
import { heldRights } from './rights.ts';
import { findApp } from './store.ts';
import { installationNotFound } from './change-installation.ts';
import { lockInstallation } from './store-installations.ts';
import { listNamedRepositories, listReachedNumbers } from './store-reach.ts';
import { insertInstallationToken, type InstallationToken } from './store-tokens.ts';

const LIFE_MS = 60 * 60 * 1000;

export interface NewInstallationToken {
  value: string;
  token: InstallationToken;
}

/** Throws for more than the installation has. */
export async function createInstallationToken(
  { db: tx, actor: { now } }: Pick<ChangeTransaction, 'db' | 'actor'>,
  { number, appNumber }: Pick<Installation, 'number' | 'appNumber'>,
  sent: Static<typeof TokenRequest>,
): Promise<NewInstallationToken> {
  const installation = await lockInstallation(tx, number, 'share');
  if (installation?.appNumber !== appNumber || installation.removedAt !== null) throw installationNotFound();
  if (installation.suspendedAt !== null)
    throw new Failure('forbidden', 'This installation has been suspended');
  const app = await findApp(tx, appNumber);
  if (app === undefined) throw installationNotFound();
  const token: InstallationToken = {
    installation: number,
    permissions: narrowedPermissions(heldRights(app, installation).permissions, sent.permissions),
    repositories: await narrowedRepositories(tx, installation, sent),
    createdAt: now,
    expiresAt: now + LIFE_MS,
  };
  const { value, hash } = newSecret(INSTALLATION_TOKEN_PREFIX);
  await insertInstallationToken(tx, hash, token);
  return { value, token };
}

function narrowedPermissions(held: AppPermissions, sent: Record<string, string> | undefined): AppPermissions {
  if (sent === undefined) return held;
  const wanted = checkedPermissions(sent);
  const excess = excessPermission(wanted, held);
  if (excess === undefined) return wanted;
  throw problem(
    `permissions.${excess}`,
    'is more than was granted: The permissions requested are not granted to this installation.',
  );
}

/** Null where the token is for all repositories of the installation. */
async function narrowedRepositories(
  tx: Db,
  { number, accountId, selection }: Installation,
  { repositories: names, repository_ids: numbers }: Static<typeof TokenRequest>,
): Promise<readonly number[] | null> {
  if (names === undefined && numbers === undefined) return null;
  const reach = { installation: number, accountId, selection, only: null };
  const owner = (await listOwners(tx, [accountId])).get(accountId);
  const named = await listNamedRepositories(tx, reach, owner?.login ?? '', names ?? []);
  const reached = await listReachedNumbers(tx, reach, numbers ?? []);
  const unknown = (names ?? []).find((name) => !named.has(name.toLowerCase()));
  if (unknown !== undefined || (numbers ?? []).some((one) => !reached.has(one)))
    throw problem(
      unknown === undefined ? 'repository_ids' : 'repositories',
      'must all be accessible: There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  return [...new Set([...named.values(), ...reached])].toSorted((one, other) => one - other);
}
