// The policies of roles: base roles, as the kernel and each API state them, and the attributes of members that fill placeholders in custom ones.
import { compilePolicy, type BaseRole, type Policy, type PolicyStatement } from './policy.ts';
import type { Role } from './store-roles.ts';

/** An API's statements for base roles, where those of the kernel do not suit its resources. */
export type RoleStatements = Partial<Record<BaseRole, readonly PolicyStatement[]>>;

export type RolePolicies = Readonly<Record<BaseRole, Policy>>;

/** Lists of values by key. */
export type RoleAttributes = Readonly<Record<string, readonly string[]>>;

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
  const inherited = base[baseRole].statements;
  return {
    ...compilePolicy([...inherited, ...fillPlaceholders(policy, attributes)]),
    inherited: inherited.length,
  };
}

const PLACEHOLDER = /\$\{roleAttribute\/([^}]*)\}/;

export function hasPlaceholders(statements: readonly PolicyStatement[]): boolean {
  return statements.some(({ resources = [], notResources = [] }) =>
    [...resources, ...notResources].some((resource) => PLACEHOLDER.test(resource)),
  );
}

/** An unset attribute matches nothing in an allow and everything in a deny: forgetting one must not grant anything. */
export function fillPlaceholders(
  statements: readonly PolicyStatement[],
  attributes: RoleAttributes,
): PolicyStatement[] {
  return statements.map((statement) => {
    const { effect, resources, notResources } = statement;
    const fill = (list: readonly string[], whenUnset: readonly string[]) =>
      list.flatMap((resource) => fillOne(resource, attributes, whenUnset));
    return {
      ...statement,
      ...(resources && { resources: fill(resources, effect === 'deny' ? ['*'] : []) }),
      ...(notResources && { notResources: fill(notResources, effect === 'deny' ? [] : ['*']) }),
    };
  });
}

function fillOne(resource: string, attributes: RoleAttributes, whenUnset: readonly string[]): string[] {
  const found = PLACEHOLDER.exec(resource);
  if (found === null) return [resource];
  const [placeholder, key = ''] = found;
  const values = Object.hasOwn(attributes, key) ? attributes[key]! : [];
  return (values.length === 0 ? whenUnset : values).flatMap((value) =>
    fillOne(
      resource.replace(placeholder, () => value),
      attributes,
      whenUnset,
    ),
  );
}

/** Merges the values of a member who has attributes from several sources. */
export function joinAttributes(all: readonly RoleAttributes[]): RoleAttributes {
  const joined = new Map<string, Set<string>>();
  for (const [key, values] of all.flatMap((attributes) => Object.entries(attributes))) {
    joined.set(key, new Set([...(joined.get(key) ?? []), ...values]));
  }
  return Object.fromEntries([...joined].map(([key, values]) => [key, [...values]]));
}
