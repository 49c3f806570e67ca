// Tokens of installations: how they are known, and what caller they make.
import { hashSecret } from '../../kernel/secrets/secret.ts';
import type { ProgramTokens } from '../../kernel/identity/identity.ts';
import { findBotAccount } from '../../kernel/identity/store-bots.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { commonPermissions } from './permissions.ts';
import { programCaller } from './program.ts';
import { heldRights } from './rights.ts';
import { findApp } from './store.ts';
import { findInstallation } from './store-installations.ts';
import { countReached, type InstallationReach } from './store-reach.ts';
import { findInstallationToken } from './store-tokens.ts';

export const INSTALLATION_TOKEN_PREFIX = 'ghs_';

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
