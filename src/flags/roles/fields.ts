// Schemas of permissions, shared by roles, members, teams and tokens: base roles, statements, and role attributes.
import { OneOf, PlainText, Type } from '../../kernel/schema/schema.ts';
import { MAX_STATEMENTS, StatementSchema } from '../policy/statements.ts';

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
