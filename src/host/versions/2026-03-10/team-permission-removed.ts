// Row 2 of the catalogue: a request that creates a team no longer says what the team may do with its repositories.
import { OneOf, Type } from '../../../kernel/schema/schema.ts';
import { change } from '../../../kernel/versions/version.ts';
import { OrganizationTeamPost, TEAM_PERMISSION } from '../../teams/model.ts';

export const teamPermissionRemoved = change({
  version: '2026-03-10',
  title: 'Request property `permission` removed from the creation of teams',
  advice:
    'Say what a team may do when you add a repository to it: `PUT /orgs/{org}/teams/{team_slug}/repos/{owner}/{repo}`.',
  schema: OrganizationTeamPost,
  before: Type.Object(
    { ...OrganizationTeamPost.properties, permission: Type.Optional(OneOf(['pull', 'push'])) },
    { $id: 'team-create' },
  ),
  up: ({ permission, ...team }) => ({
    ...team,
    ...(permission !== undefined && { [TEAM_PERMISSION]: permission }),
  }),
});
