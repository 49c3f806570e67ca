// The parameters of the paths below a repository, which is named by its owner and name, or by its number.
import { Type, type Static } from '../../kernel/schema/schema.ts';

/** Either `owner` and `repo` are there, or `repository_id` is. Routes below a repository add their own parameters. */
export const RepositoryParams = {
  owner: Type.Optional(Type.String()),
  repo: Type.Optional(Type.String()),
  repository_id: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
};

const RepositoryParamsObject = Type.Object(RepositoryParams);

export type RepositoryParamValues = Static<typeof RepositoryParamsObject>;
