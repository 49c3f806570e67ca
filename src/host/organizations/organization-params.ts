// The parameters of the paths below an organization, which is named by its login or by its number.
import { Type, type Static } from '../../kernel/schema/schema.ts';

/** Either `org` is there, or `organization_id` is. Routes below an organization add their own parameters. */
export const OrganizationParams = {
  org: Type.Optional(Type.String()),
  organization_id: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
};

const OrganizationParamsObject = Type.Object(OrganizationParams);

export type OrganizationParamValues = Static<typeof OrganizationParamsObject>;
