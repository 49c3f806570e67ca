// Row 2 of the catalogue: a request that creates a team no longer says what the team may do with its repositories.
import { OneOf, Type } from '../../../kernel/schema.ts';
import { change } from '../../../kernel/version.ts';
import { TEAM_PERMISSION } from '../../teams/replies.ts';
import { TeamPost } from '../../teams/routes.ts';

export const teamPermissionRemoved = change({
  version: '2026-03-10',
  title: 'Request property `permission` removed from the creation of teams',
  schema: TeamPost,
  before: Type.Object(
    { ...TeamPost.properties, permission: Type.Optional(OneOf(['pull', 'push'])) },
    { $id: 'team-create' },
  ),
  up: ({ permission, ...team }) => ({
    ...team,
    ...(permission !== undefined && { [TEAM_PERMISSION]: permission }),
  }),
});
