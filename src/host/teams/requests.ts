// The bodies of requests that create and change teams.
import { Nullable, OneOf, PlainText, Type } from '../../kernel/schema/schema.ts';
import type { TeamPermission } from './model.ts';

const MAX_NUMBER = 2 ** 31 - 1;

const NAME = PlainText({ minLength: 1, maxLength: 255 });
const FIELDS = {
  description: Type.Optional(Nullable(PlainText({ maxLength: 1000 }))),
  privacy: Type.Optional(OneOf(['secret', 'closed'])),
  notification_setting: Type.Optional(OneOf(['notifications_enabled', 'notifications_disabled'])),
  parent_team_id: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: MAX_NUMBER }))),
  parent_team_slug: Type.Optional(Nullable(PlainText({ maxLength: 255 }))),
};

/** Without `permission`, which only the version 2022-11-28 has: see `TEAM_PERMISSION`. */
export const OrganizationTeamPost = Type.Object(
  {
    name: NAME,
    ...FIELDS,
    maintainers: Type.Optional(Type.Array(PlainText({ maxLength: 100 }), { maxItems: 100 })),
    repo_names: Type.Optional(Type.Array(PlainText({ maxLength: 200 }), { maxItems: 100 })),
  },
  { $id: 'team-create' },
);

export const OrganizationTeamPatch = Type.Object({
  name: Type.Optional(NAME),
  ...FIELDS,
  permission: Type.Optional(OneOf(['pull', 'push', 'admin'])),
});

/**
 * The version 2022-11-28 lets requests that create a team say its `permission`, the newest does not. The value travels under
 * this symbol on the body: JSON has no symbols, so that callers of the newest version cannot send it. The change of version
 * moves the field there. What is absent is `pull`.
 */
export const TEAM_PERMISSION = Symbol('permission');

export interface WithTeamPermission {
  [TEAM_PERMISSION]?: TeamPermission;
}
