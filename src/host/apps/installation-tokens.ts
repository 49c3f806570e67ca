// Tokens of installations: how they are created and known, and what caller they make.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import type { ProgramTokens } from '../../kernel/identity/identity.ts';
import { findBotAccount } from '../../kernel/identity/store-bots.ts';
import { problem, type Static } from '../../kernel/schema/schema.ts';
import { hashSecret, newSecret } from '../../kernel/secrets/secret.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listOwners } from '../owners/store.ts';
import type { Installation } from './app.ts';
import { installationNotFound } from './change-installation.ts';
import type { TokenRequest } from './model.ts';
import {
  commonPermissions,
  checkedPermissions,
  excessPermission,
  type AppPermissions,
  heldRights,
} from './permissions.ts';
import { programCaller } from './program.ts';
import { findInstallation, lockInstallation } from './store-installations.ts';
import {
  countReached,
  type InstallationReach,
  listNamedRepositories,
  listReachedNumbers,
} from './store-reach.ts';
import { findInstallationToken, insertInstallationToken, type InstallationToken } from './store-tokens.ts';
import { findApp } from './store.ts';

const INSTALLATION_TOKEN_PREFIX = 'ghs_';

export const installationTokens: ProgramTokens = {
  hasForm: (secret) => secret.startsWith(INSTALLATION_TOKEN_PREFIX),
  async find(db, secret, now) {
    const tokenHash = hashSecret(secret);
    const token = await findInstallationToken(db, tokenHash, now);
    const installation = token && (await findInstallation(db, token.installation));
    if (!installation || installation.removedAt !== null || installation.suspendedAt !== null)
      return undefined;
    const app = await findApp(db, installation.appNumber);
    const bot = app && (await findBotAccount(db, { id: app.botId }));
    if (app === undefined || bot === undefined) return undefined;
    const { accountId, selection } = installation;
    const reach = { installation: installation.number, accountId, selection, only: token.repositories };
    const permissions = commonPermissions(token.permissions, heldRights(app, installation).permissions);
    const limit = await coreLimitOf(db, { ...reach, only: null });
    const facts = { kind: 'installation', app: app.number, reach, permissions, tokenHash } as const;
    return { caller: programCaller(bot, facts, limit), expiresAt: token.expiresAt };
  },
};

const BASE_LIMIT = 5000;
const MAX_LIMIT = 12_500;
const FREE_REPOSITORIES = 20;
const PER_REPOSITORY = 50;

/** Installations on many repositories may call more. */
async function coreLimitOf(db: Db, reach: InstallationReach): Promise<number> {
  const most = FREE_REPOSITORIES + (MAX_LIMIT - BASE_LIMIT) / PER_REPOSITORY;
  const repositories = await countReached(db, reach, most);
  return BASE_LIMIT + PER_REPOSITORY * Math.max(0, repositories - FREE_REPOSITORIES);
}

const LIFE_MS = 60 * 60 * 1000;

interface NewInstallationToken {
  value: string;
  token: InstallationToken;
}

/** Narrowed to repositories and permissions. Throws for more than the installation has. */
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
