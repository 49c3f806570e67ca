// Runs a GraphQL query: parse, validate, price, pay, execute.
import { execute, getOperationAST, GraphQLError, parse, validate, type DocumentNode } from 'graphql';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/route.ts';
import type { Static } from '../../kernel/schema.ts';
import { costOf, type Cost } from './cost.ts';
import type { GraphqlQuery, GraphqlResult } from './model.ts';
import { rootValue, schema, type Context } from './schema.ts';

const MOST_TOKENS = 5000;

export type GraphqlCall = Pick<Call, 'base' | 'now' | 'spend'> & {
  caller: Context['caller'];
  body: Static<typeof GraphqlQuery>;
};

export async function runQuery(call: GraphqlCall, kernel: Kernel): Promise<Static<typeof GraphqlResult>> {
  const { body, caller, base, now } = call;
  const variables = body.variables ?? {};
  let document: DocumentNode;
  let cost: Cost;
  try {
    document = parse(body.query, { maxTokens: MOST_TOKENS });
    const problems = validate(schema, document);
    if (problems.length > 0) return { errors: problems.map(spell) };
    const operation = getOperationAST(document, body.operationName);
    if (operation == null) throw new GraphQLError('Name the operation to run in `operationName`.');
    cost = costOf(schema, document, operation, variables);
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [spell(error)] };
    throw error;
  }
  if (!isDryRun(document, variables) && !call.spend(cost.points))
    return { errors: [spent(caller.member.number)] };
  const counter = kernel.limits.enabled ? kernel.limits.peek('host.graphql', caller, now) : undefined;
  const context: Context = { caller, base, kernel, cost, counter };
  const { data, errors } = await execute({
    schema,
    document,
    rootValue,
    contextValue: context,
    variableValues: variables,
    operationName: body.operationName ?? null,
  });
  const failed = errors?.find(({ originalError }) => originalError !== undefined);
  if (failed !== undefined) throw failed.originalError ?? new Failure('internal', failed.message);
  return { data: data ?? null, ...(errors !== undefined && { errors: errors.map(spell) }) };
}

function isDryRun(document: DocumentNode, variables: Record<string, unknown>): boolean {
  for (const definition of document.definitions) {
    if (definition.kind !== 'OperationDefinition') continue;
    for (const field of definition.selectionSet.selections) {
      if (field.kind !== 'Field' || field.name.value !== 'rateLimit') continue;
      const value = field.arguments?.find(({ name }) => name.value === 'dryRun')?.value;
      if (value?.kind === 'BooleanValue' && value.value) return true;
      if (value?.kind === 'Variable' && variables[value.name.value] === true) return true;
    }
  }
  return false;
}

/** Clients look for the type `RATE_LIMITED`; the newer word stands beside it as the code. */
function spent(user: number) {
  return {
    type: 'RATE_LIMITED',
    code: 'graphql_rate_limit',
    message: `API rate limit exceeded for user ID ${user}.`,
  };
}

function spell(error: GraphQLError) {
  const { message, locations, path, extensions } = error;
  return {
    message,
    ...(typeof extensions['type'] === 'string' && { type: extensions['type'] }),
    ...(path !== undefined && { path }),
    ...(locations !== undefined && { locations }),
  };
}
