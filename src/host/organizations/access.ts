// Decides what a caller may do in an organization: by membership, and by the policy of the caller's token.
import { Failure } from '../../kernel/failure.ts';
import type { Call } from '../../kernel/http/route.ts';
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { actsOnAccount } from '../apps/program.ts';
import { administersHost } from '../repositories/caller-roles.ts';
import { organizationResource, type Organization, type OrganizationMembership } from './model.ts';
import {
  findOrganization,
  findOrganizationFor,
  lockOrganization,
  type OrganizationForAccount,
  type OrganizationName,
} from './store.ts';

/** For the `access` of routes that read. Organizations are public; their handlers decide how much of one is shown. */
export const VIEW_ORGANIZATION = { action: 'viewOrganization', ofOwner: true, isOpen: true } as const;
/** The same for what only members see. */
export const VIEW_AS_MEMBER = { action: 'viewOrganization', ofOwner: true } as const;

export type OrganizationCall = Pick<Call, 'can' | 'requirePermission'> & {
  caller: Caller;
  params: OrganizationParamValues;
};

/** An organization as one caller sees it. */
export interface OpenedOrganization {
  organization: Organization;
  membership?: OrganizationMembership;
  /** May see what members see. */
  isInsider: boolean;
  /** May do what admins of the organization do. Administrators of the whole host may, too. */
  isAdmin: boolean;
}

/** What the caller has to be; `anyone` needs no more than the existence of the organization. */
type NeededStanding = 'anyone' | 'insider' | 'admin';

/** Throws unless the caller has the standing, and the policy of the caller's token allows the route's action. */
export async function openOrganization(
  db: Db,
  call: OrganizationCall,
  needed: NeededStanding,
  name = organizationNameIn(call.params),
): Promise<OpenedOrganization> {
  const found = await findFor(db, name, call.caller);
  if (found === undefined) throw organizationNotFound();
  return checkStanding(call, found, needed);
}

/** The same inside a transaction, which then has the organization locked, so that the standing stays what it is. */
export async function openOrganizationForChange(
  tx: Db,
  call: OrganizationCall,
  needed: NeededStanding,
): Promise<OpenedOrganization> {
  // Checked before the lock, so that callers without the right cannot make others wait.
  const { organization } = await openOrganization(tx, call, needed);
  await lockOrganization(tx, organization.id);
  const locked = await findFor(tx, { id: organization.id }, call.caller);
  if (locked === undefined) throw organizationNotFound();
  return checkStanding(call, locked, needed);
}

export function organizationNameIn({
  org,
  organization_id: number,
}: OrganizationParamValues): OrganizationName {
  return number === undefined ? { login: org ?? '' } : { number };
}

async function findFor(
  db: Db,
  name: OrganizationName,
  caller: Caller,
): Promise<OrganizationForAccount | undefined> {
  if (caller.kind !== 'anonymous') return await findOrganizationFor(db, name, accountOf(caller).id);
  const organization = await findOrganization(db, name);
  return organization && { organization };
}

function checkStanding(
  call: OrganizationCall,
  found: OrganizationForAccount,
  needed: NeededStanding,
): OpenedOrganization {
  const { organization, membership } = found;
  const resource = organizationResource(organization);
  const isAllowed = call.can(resource);
  // An installation has the permission that the route needs, and may then do what admins do there.
  const runsHost =
    call.caller.kind !== 'anonymous' &&
    (administersHost(call.caller) || actsOnAccount(call.caller, organization.id));
  const opened = {
    ...found,
    isInsider: isAllowed && (membership !== undefined || runsHost),
    isAdmin: isAllowed && (membership?.role === 'admin' || runsHost),
  };
  if (needed === 'anyone') return opened;
  call.requirePermission(resource);
  if (needed === 'insider' && !opened.isInsider)
    throw new Failure('denied', `You must be a member of the organization ${organization.login}.`);
  if (needed === 'admin' && !opened.isAdmin)
    throw new Failure('denied', `You must be an admin of the organization ${organization.login}.`);
  return opened;
}

function organizationNotFound(): Failure {
  return new Failure('not-found', 'There is no such organization');
}

/** Either `org` is there, or `organization_id` is. Routes below an organization add their own parameters. */
export const OrganizationParams = {
  org: Type.Optional(Type.String()),
  organization_id: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
};

const OrganizationParamsObject = Type.Object(OrganizationParams);

type OrganizationParamValues = Static<typeof OrganizationParamsObject>;
