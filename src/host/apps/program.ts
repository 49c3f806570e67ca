// Callers that are programs: an app, by a token that it signs itself, or one of its installations.
import { Failure } from '../../kernel/failure.ts';
import type { Caller, KnownCaller } from '../../kernel/identity/caller.ts';
import { compilePolicy } from '../../kernel/identity/policy.ts';
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { Repository, RepositoryRole } from '../repositories/repository.ts';
import type { AppPermissions } from './permissions.ts';
import type { InstallationReach } from './store-reach.ts';

export interface AppProgram {
  kind: 'app';
  app: number;
}

export interface InstallationProgram {
  kind: 'installation';
  app: number;
  reach: InstallationReach;
  permissions: AppPermissions;
  /** Of the token, to revoke it. */
  tokenHash: string;
  /** The permission that the route needs and the token lacks: the caller then sees what is public. */
  lacks?: string;
}

/** What a program may do is decided by its permissions for the route and by the repositories that it reaches. */
const POLICY = compilePolicy([{ effect: 'allow', notActions: ['administerHost'], resources: ['*'] }]);

/** The caller by which limits and counters know a program. */
export function programId(kind: 'app' | 'installation', number: number | ''): string {
  return `${kind}/${number}`;
}

export function programCaller(
  bot: Account,
  facts: AppProgram | InstallationProgram,
  limit?: number,
): KnownCaller {
  const id = programId(facts.kind, facts.kind === 'app' ? facts.app : facts.reach.installation);
  return {
    kind: 'token',
    member: { ...bot, customRoles: [] },
    account: bot,
    grants: [[POLICY]],
    program: { api: 'host', id, facts },
    budget: { id, ...(limit !== undefined && { limit }) },
  };
}

function factsOf(caller: Caller): AppProgram | InstallationProgram | undefined {
  if (caller.kind === 'anonymous' || caller.program?.api !== 'host') return undefined;
  return caller.program.facts as AppProgram | InstallationProgram | undefined;
}

export function appOf(caller: Caller): AppProgram | undefined {
  const facts = factsOf(caller);
  return facts?.kind === 'app' ? facts : undefined;
}

export function installationOf(caller: Caller): InstallationProgram | undefined {
  const facts = factsOf(caller);
  return facts?.kind === 'installation' ? facts : undefined;
}

/** Whether it is installed on the account, and its token has the permission that the route needs. */
export function actsOnAccount(caller: Caller, accountId: string): boolean {
  const program = installationOf(caller);
  return program !== undefined && program.lacks === undefined && program.reach.accountId === accountId;
}

/** The roles that replies show and rules of branches ask for; access itself is decided by permissions. */
export function shownRole(
  { permissions }: InstallationProgram,
  { isPrivate }: Pick<Repository, 'isPrivate'>,
  isReached: boolean,
): RepositoryRole | undefined {
  if (!isReached) return isPrivate ? undefined : 'read';
  if (permissions['administration'] === 'write') return 'admin';
  return permissions['contents'] === 'write' ? 'write' : 'read';
}

const lacking = new WeakMap<KnownCaller, Map<string, KnownCaller>>();

/** The same caller, who lacks a permission. */
export function callerLacking(caller: KnownCaller, permission: string): KnownCaller {
  let variants = lacking.get(caller);
  if (variants === undefined) lacking.set(caller, (variants = new Map()));
  let variant = variants.get(permission);
  if (variant === undefined) {
    const program = caller.program!;
    variant = { ...caller, program: { ...program, facts: { ...program.facts, lacks: permission } } };
    variants.set(permission, variant);
  }
  return variant;
}

/** The message that every client of apps knows. */
export function notAccessible(permission?: string): Failure {
  return new Failure('denied', 'Resource not accessible by integration', {
    ...(permission !== undefined && {
      headers: { 'x-accepted-github-permissions': permission.replace(':', '=') },
    }),
  });
}
