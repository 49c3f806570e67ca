// The paths of routes below a team, which is named by its slug in an organization, or by its number.
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { OrganizationParams } from '../organizations/organization-params.ts';

/** Either `team_slug` is there, with the organization, or `team_id` is. Routes below a team add their own parameters. */
export const TeamParams = {
  ...OrganizationParams,
  team_slug: Type.Optional(Type.String()),
  team_id: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
};

const TeamParamsObject = Type.Object(TeamParams);

export type TeamParamValues = Static<typeof TeamParamsObject>;

/** The place below the slug, and the two below the number: an older one, and the one that replies name. */
export function teamPlaces(rest: string): { path: string; aliases: { path: string }[] } {
  return {
    path: `/orgs/{org}/teams/{team_slug}${rest}`,
    aliases: [
      { path: `/teams/{team_id}${rest}` },
      { path: `/organizations/{organization_id}/team/{team_id}${rest}` },
    ],
  };
}
