// The body of a GraphQL request and of its reply.
import { Nullable, Type } from '../../kernel/schema/schema.ts';

export const GraphqlQuery = Type.Object({
  query: Type.String({ minLength: 1, maxLength: 100_000 }),
  variables: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
  operationName: Type.Optional(Nullable(Type.String())),
});

export const GraphqlResult = Type.Object(
  {
    data: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
    errors: Type.Optional(
      Type.Array(Type.Object({ message: Type.String(), type: Type.Optional(Type.String()) })),
    ),
  },
  { $id: 'graphql-result' },
);
