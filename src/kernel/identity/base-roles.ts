// Base roles: what the kernel says of its own resources, and above that what each API says of its own.
import { fillPlaceholders, type RoleAttributes } from './attributes.ts';
import { compilePolicy, type BaseRole, type Policy, type PolicyStatement } from './policy.ts';
import type { Role } from './store-roles.ts';

/** What an API says of base roles, where what the kernel says does not suit all of its resources. */
export type RoleStatements = Partial<Record<BaseRole, readonly PolicyStatement[]>>;

export type RolePolicies = Readonly<Record<BaseRole, Policy>>;

/** One's own tokens stand below `member/me`. Another's are not even seen: whoever resets one holds its power. */
const READER: PolicyStatement[] = [
  { effect: 'allow', actions: ['view*'], notResources: ['member/*:token/*'] },
  { effect: 'allow', actions: ['*'], resources: ['member/me:token/*'] },
];

/** A resource that is not named here belongs to an API: readers view it, and writers do with it what they like. */
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

/** What a custom role allows, base permissions included: one policy, so that what it denies is denied whatever its base allows. */
export function customPolicy(
  base: RolePolicies,
  { policy, baseRole }: Pick<Role, 'policy' | 'baseRole'>,
  attributes: RoleAttributes,
): Policy {
  return compilePolicy([...base[baseRole].statements, ...fillPlaceholders(policy, attributes)]);
}
