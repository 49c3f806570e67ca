// Who may see and change webhooks: admins of a repository, and admins of an organization. To others there are none.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Call } from '../../kernel/http/route.ts';
import { installationOf } from '../apps/program.ts';
import { openOrganization, type OrganizationCall, OrganizationParams } from '../organizations/access.ts';
import { organizationResource, ownerOfOrganization, type Organization } from '../organizations/model.ts';
import type { OrganizationName } from '../organizations/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { openRepository, type FoundRepository, RepositoryParams } from '../repositories/access.ts';
import { reachesRepository, roleOn } from '../repositories/caller-roles.ts';
import { includesRole, repositoryResource } from '../repositories/repository.ts';
import type { Hook, StoredHookTarget } from './hook.ts';
import { findHook } from './store.ts';

export const VIEW_HOOKS = { action: 'viewHooks', ofOwner: true } as const;
export const UPDATE_HOOKS = { action: 'updateHooks', ofOwner: true } as const;

/** What is asked before and after validation. */
export type HookCall = Pick<Call, 'can' | 'now' | 'url'> & { caller: Caller; params: unknown };

/** A repository or an organization that may have hooks. */
export interface HookPlace {
  target: StoredHookTarget;
  /** Its number, as clients know it. */
  number: number;
  /** As policies name it. */
  resource: string;
  /** Below the base of the API. */
  path: string;
  /** Who owns it, or what it is. */
  owner: RepositoryOwner;
  found?: FoundRepository;
  organization?: Organization;
}

async function openRepositoryHooks(kernel: Kernel, call: HookCall): Promise<HookPlace> {
  const found = await openRepository(kernel, call, 'read');
  const resource = repositoryResource(found);
  requirePermission(call, resource);
  const role = await roleOn(kernel.db, call.caller, found.repository);
  const reach = installationOf(call.caller)?.reach;
  if (!includesRole(role, 'admin') && !(await reachesRepository(kernel.db, reach, found.repository)))
    throw hookNotFound();
  return placeOfRepository(found);
}

async function openOrganizationHooks({ db }: Kernel, call: HookCall): Promise<HookPlace> {
  const opened = await openOrganization(db, call as unknown as OrganizationCall, 'anyone', nameIn(call));
  const { organization } = opened;
  const resource = organizationResource(organization);
  requirePermission(call, resource);
  if (!opened.isAdmin) throw hookNotFound();
  return {
    target: { organization: organization.id },
    number: organization.number,
    resource,
    path: `/orgs/${organization.login}`,
    owner: ownerOfOrganization(organization),
    organization,
  };
}

/** Before validation the number is text, and may be none. */
function nameIn({ params }: HookCall): OrganizationName {
  const { org = '', organization_id: number } = params as { org?: string; organization_id?: number | string };
  if (number === undefined) return { login: org };
  return Number.isSafeInteger(Number(number)) ? { number: Number(number) } : { login: '' };
}

/** The policy of the caller's token must allow the action of the route. */
function requirePermission(call: HookCall, resource: string): void {
  if (!call.can(resource)) throw new Failure('denied', `You need a token that may do this on ${resource}.`);
}

function placeOfRepository(found: FoundRepository): HookPlace {
  const { repository, owner } = found;
  return {
    target: { repository: repository.number },
    number: repository.number,
    resource: repositoryResource(found),
    path: `/repos/${owner.login}/${repository.name}`,
    owner,
    found,
  };
}

/** Throws where the place has no hook of this number. */
export async function findHookOf(db: Kernel['db'], { target }: HookPlace, number: number): Promise<Hook> {
  const hook = await findHook(db, number);
  if (hook === undefined || JSON.stringify(hook.target) !== JSON.stringify(target)) throw hookNotFound();
  return hook;
}

function hookNotFound(): Failure {
  return new Failure('not-found', 'There is no such hook');
}

/** What differs between the routes of repositories and of organizations. */
export const HOOK_PLACES = {
  repos: { path: '/repos/{owner}/{repo}', params: RepositoryParams, open: openRepositoryHooks },
  orgs: { path: '/orgs/{org}', params: OrganizationParams, open: openOrganizationHooks },
} as const;

export type HookPlaceName = keyof typeof HOOK_PLACES;
