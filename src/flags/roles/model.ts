// The representation of custom roles, the rules for changing them, and schemas of permissions that members, teams and tokens have, too.
import { parseStatements, type PolicyStatement } from '../../kernel/identity/policy.ts';
import type { Holders, NewRole, Role } from '../../kernel/identity/store-roles.ts';
import { OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Access } from '../../kernel/identity/actor.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { couldBeId, Description, Key, Name } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { editor, type DocumentPatch } from '../patch/patch.ts';
import { StatementSchema, MAX_STATEMENTS } from '../policy/statements.ts';

export const BaseRoleSchema = OneOf(['reader', 'writer', 'admin', 'owner', 'no_access'], {
  description: 'A base role',
});

export const Statements = Type.Array(StatementSchema, { maxItems: MAX_STATEMENTS });

export const RoleNames = Type.Array(PlainText({ minLength: 1, maxLength: 256 }), {
  maxItems: 100,
  description: 'Keys or ids of custom roles',
});

/** A value is inserted into resource specifiers, where other characters have a meaning. */
export const AttributeValues = Type.Array(
  Type.String({ pattern: '^[a-zA-Z0-9_.*-]+$', minLength: 1, maxLength: 256 }),
  { maxItems: 100 },
);
export const AttributeKey = Type.String({ pattern: '^[a-zA-Z0-9_.-]+$', minLength: 1, maxLength: 256 });

export const RoleAttributesSchema = Type.Unsafe<Record<string, string[]>>({
  type: 'object',
  description: 'Lists of values that stand in for `${roleAttribute/key}` in the policies of custom roles',
  maxProperties: 100,
  propertyNames: AttributeKey,
  additionalProperties: AttributeValues,
});

const BasePermissions = OneOf(['reader', 'no_access'], {
  description: '`reader` sees everything that the policy does not deny; `no_access` only what it allows',
});
const Category = PlainText({ maxLength: 64 });

export const RolePost = Type.Object(
  {
    key: Key('Cannot be changed later'),
    name: Name,
    description: Type.Optional(Description),
    policy: Statements,
    basePermissions: Type.Optional(BasePermissions),
    resourceCategory: Type.Optional(Category),
  },
  { $id: 'CustomRolePost' },
);

export const RoleRep = Type.Object(
  {
    _id: Type.String(),
    _links: Links,
    key: Type.String(),
    name: Type.String(),
    description: Type.String(),
    policy: Type.Array(StatementSchema),
    basePermissions: Type.String(),
    resourceCategory: Type.Optional(Type.String()),
    assignedTo: Type.Optional(
      Type.Object({ membersCount: Type.Integer(), teamsCount: Type.Integer() }, { $id: 'AssignedToRep' }),
    ),
  },
  { $id: 'CustomRole' },
);

export function roleResource({ key }: Pick<Role, 'key'>): string {
  return `role/${key}`;
}

export function toRole(role: Role, holders?: Holders): Static<typeof RoleRep> {
  return {
    _id: role.id,
    _links: { self: linkTo(`/roles/${role.key}`), parent: linkTo('/roles') },
    key: role.key,
    name: role.name,
    description: role.description,
    policy: role.policy,
    basePermissions: role.baseRole,
    ...(role.category !== undefined && { resourceCategory: role.category }),
    ...(holders && { assignedTo: { membersCount: holders.members, teamsCount: holders.teams } }),
  };
}

export function readRolePost(post: Static<typeof RolePost>): NewRole {
  // Roles are found by key or id, so that a key must not look like an id.
  if (couldBeId(post.key)) throw problem('key', 'must not look like an id');
  return {
    key: post.key,
    name: post.name,
    description: post.description ?? '',
    policy: readPolicy(post.policy),
    baseRole: post.basePermissions ?? 'reader',
    category: post.resourceCategory,
  };
}

/**
 * A resource is expanded to one per combination of placeholder values, so that each further placeholder multiplies
 * them.
 */
const MAX_PLACEHOLDERS = 2;

function readPolicy(value: unknown): PolicyStatement[] {
  const policy = parseStatements(value);
  for (const { resources = [], notResources = [] } of policy) {
    for (const resource of [...resources, ...notResources]) {
      if (resource.split('${').length - 1 <= MAX_PLACEHOLDERS) continue;
      throw problem('policy', `must have at most two placeholders in ${resource}`);
    }
  }
  return policy;
}

/** What a patch may change. */
export const EditableRole = Type.Object({
  name: Name,
  description: Type.Optional(Description),
  policy: Statements,
  basePermissions: Type.Optional(BasePermissions),
  resourceCategory: Type.Optional(Category),
});
const edit = editor({ editable: EditableRole });

export function patchRole(role: Role, patch: DocumentPatch): Role {
  const wanted = edit(toRole(role), patch);
  return {
    ...role,
    name: wanted.name,
    description: wanted.description ?? '',
    policy: areEqual(wanted.policy, role.policy) ? role.policy : readPolicy(wanted.policy),
    baseRole: wanted.basePermissions ?? 'reader',
    category: wanted.resourceCategory,
  };
}

export function hasOtherPower(before: Role, after: Role): boolean {
  return before.baseRole !== after.baseRole || !areEqual(before.policy, after.policy);
}

export const ROLE_ACTIONS = ['updateName', 'updateDescription', 'updatePolicy'];

/** The permissions that the change requires, by changed field. */
export function roleAccesses(before: Role, after: Role): Access[] {
  const resource = roleResource(before);
  const actions = [
    ...(before.name === after.name ? [] : ['updateName']),
    ...(before.description === after.description ? [] : ['updateDescription']),
    ...(hasOtherPower(before, after) ? ['updatePolicy'] : []),
    ...(before.category === after.category ? [] : ['updateName']),
  ];
  return [...new Set(actions)].map((action) => ({ action, resource }));
}
