// Base roles: the kernel's statements about its own resources, and each API's statements about its own.
import { fillPlaceholders, type RoleAttributes } from './attributes.ts';
import { compilePolicy, type BaseRole, type Policy, type PolicyStatement } from './policy.ts';
import type { Role } from './store-roles.ts';

/** An API's statements for base roles, where those of the kernel do not suit its resources. */
export type RoleStatements = Partial<Record<BaseRole, readonly PolicyStatement[]>>;

export type RolePolicies = Readonly<Record<BaseRole, Policy>>;

/** One's own tokens are below `member/me`. Others' tokens are not visible: resetting one would give its permissions. */
const READER: PolicyStatement[] = [
  { effect: 'allow', actions: ['view*'], notResources: ['member/*:token/*'] },
  { effect: 'allow', actions: ['*'], resources: ['member/me:token/*'] },
];

/** A resource that is not named here belongs to an API: readers may view it, and writers may do everything with it. */
const STATEMENTS: Record<BaseRole, readonly PolicyStatement[]> = {
  no_access: [],
  reader: READER,
  writer: [
    ...READER,
    {
      effect: 'allow',
      actions: ['*'],
      notResources: ['acct', 'member/*', 'member/*:token/*', 'role/*', 'service-token/*', 'team/*'],
    },
    { effect: 'allow', actions: ['createAccessToken'], resources: ['service-token/*'] },
  ],
  admin: [
    { effect: 'allow', actions: ['*'], resources: ['*'] },
    { effect: 'deny', actions: ['updateAccountOwner', 'deleteAccount'], resources: ['acct'] },
  ],
  owner: [{ effect: 'allow', actions: ['*'], resources: ['*'] }],
};

export function compileBaseRoles(contributed: readonly RoleStatements[]): RolePolicies {
  const policyOf = (role: BaseRole): Policy => ({
    ...compilePolicy([...STATEMENTS[role], ...contributed.flatMap((statements) => statements[role] ?? [])]),
    baseRole: role,
  });
  return {
    no_access: policyOf('no_access'),
    reader: policyOf('reader'),
    writer: policyOf('writer'),
    admin: policyOf('admin'),
    owner: policyOf('owner'),
  };
}

/** The policy of a custom role with its base permissions: a single one, so that a deny in the role overrides its base. */
export function customPolicy(
  base: RolePolicies,
  { policy, baseRole }: Pick<Role, 'policy' | 'baseRole'>,
  attributes: RoleAttributes,
): Policy {
  return compilePolicy([...base[baseRole].statements, ...fillPlaceholders(policy, attributes)]);
}
