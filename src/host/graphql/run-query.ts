// Runs a GraphQL query: parses and validates it, computes its cost, consumes it of the rate limit, and executes it.
import {
  execute,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  Kind,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type ExecutionArgs,
  type FieldNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { CHANGE_POINTS, GRAPHQL_COST, limitExceededFor, secondaryPlan } from '../rate-limit/secondary.ts';
import { costOf, type Cost } from './cost.ts';
import type { GraphqlQuery, GraphqlResult } from './routes.ts';
import { boundSelections } from './selections.ts';
import type { FieldCall, GraphqlContext } from './context.ts';
import { rootValue, schema } from './schema.ts';

const MAX_TOKENS = 5000;
/** All rules at once take 20 to 50 ms for a query of as many tokens. */
const RULES_AT_ONCE = 6;

export type GraphqlCall = FieldCall & Pick<Call, 'base' | 'spend'> & { body: Static<typeof GraphqlQuery> };

/** A query that can be executed, or why it cannot. */
type Prepared =
  | {
      ready: Pick<ExecutionArgs, 'document' | 'operationName' | 'variableValues'>;
      cost: Cost;
      points: number;
      /** How many changes it asks for. */
      mutations: number;
    }
  | { errors: readonly GraphQLError[] };

/** A query that cannot be executed costs one point, because validating it is work too. */
const REJECTED_POINTS = 1;

export async function runQuery(call: GraphqlCall, kernel: Kernel): Promise<Static<typeof GraphqlResult>> {
  const { body, caller, base, now } = call;
  const prepared = await prepare(body);
  const points = 'errors' in prepared ? REJECTED_POINTS : prepared.points;
  if (points > 0 && !(await call.spend(points)))
    return { errors: [limitExceededError(limitExceededFor(caller))] };
  if ('errors' in prepared) return { errors: prepared.errors.map(renderGraphqlError) };
  const { ready, cost, mutations: changes } = prepared;
  if (changes > 0) admitChanges(kernel, caller, changes, now);
  const counter = kernel.limits.enabled ? kernel.limits.peek('host.graphql', caller, now) : undefined;
  const contextValue: GraphqlContext = { call, caller, base, kernel, cost, counter };
  const { data, errors } = await execute({ schema, rootValue, contextValue, ...ready });
  const bug = errors?.find(({ originalError: cause }) => cause && !(cause instanceof GraphQLError));
  if (bug?.originalError) throw bug.originalError;
  return { data: data ?? null, ...(errors !== undefined && { errors: errors.map(renderGraphqlError) }) };
}

/** Each change counts as a call that changes something. What the call itself has counted for is a part of it. */
function admitChanges(
  { secondaryLimits, disk }: Kernel,
  caller: KnownCaller,
  count: number,
  now: number,
): void {
  disk.checkRoom();
  const cost = { ...GRAPHQL_COST, points: count * CHANGE_POINTS - GRAPHQL_COST.points };
  const excess = secondaryLimits.enabled ? secondaryLimits.addPoints(caller, cost, now) : undefined;
  if (excess !== undefined) throw secondaryPlan.exceeded(excess, { now });
}

async function prepare({ query, operationName, variables }: Static<typeof GraphqlQuery>): Promise<Prepared> {
  try {
    const slice = new TimeSlice();
    const document = boundSelections(parse(query, { maxTokens: MAX_TOKENS }));
    const problems: GraphQLError[] = [];
    for (const rules of chunk(specifiedRules, RULES_AT_ONCE)) {
      if (slice.isOver) await slice.yieldToEventLoop();
      problems.push(...validate(schema, document, rules));
    }
    if (slice.isOver) await slice.yieldToEventLoop();
    if (problems.length > 0) return { errors: problems };
    const operation = getOperationAST(document, operationName);
    if (operation == null) throw new GraphQLError('Name the operation to run in `operationName`.');
    const { variableValues: values, errors } = getVariableValues(
      schema,
      operation.variableDefinitions ?? [],
      variables ?? {},
    );
    if (errors !== undefined) return { errors };
    const cost = costOf(schema, document, operation, values.coerced);
    const fields = rootFields(operation.selectionSet, document);
    const limitFields = fields.filter(({ name }) => name.value === 'rateLimit');
    const { rateLimit } = schema.getQueryType()!.getFields();
    const isDryRun = limitFields.some(
      (field) => getArgumentValues(rateLimit!, field, values)['dryRun'] === true,
    );
    const ready = { operationName, variableValues: variables ?? {} };
    const changes = operation.operation === 'mutation' ? fields.length : 0;
    return isDryRun
      ? {
          ready: { ...ready, document: keepOnly(limitFields, operation, document) },
          cost,
          points: 0,
          mutations: 0,
        }
      : { ready: { ...ready, document }, cost, points: cost.points, mutations: changes };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    // The parser and the validator recurse as deep as the query is nested.
    if (error instanceof RangeError) return { errors: [new GraphQLError('The query is nested too deeply.')] };
    throw error;
  }
}

/** The top-level fields of the operation, including those in fragments; each fragment is visited once. */
function rootFields(set: SelectionSetNode, document: DocumentNode, seen = new Set<string>()): FieldNode[] {
  return set.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return rootFields(selection.selectionSet, document, seen);
    const name = selection.name.value;
    if (seen.has(name)) return [];
    seen.add(name);
    const fragment = document.definitions.find(
      (part) => part.kind === Kind.FRAGMENT_DEFINITION && part.name.value === name,
    );
    return fragment !== undefined && 'selectionSet' in fragment && fragment.selectionSet !== undefined
      ? rootFields(fragment.selectionSet, document, seen)
      : [];
  });
}

/** Keeps only these fields in the operation: a dry run returns the cost and fetches nothing. */
function keepOnly(
  fields: FieldNode[],
  operation: OperationDefinitionNode,
  document: DocumentNode,
): DocumentNode {
  const selectionSet = { ...operation.selectionSet, selections: fields };
  return {
    ...document,
    definitions: document.definitions.map((part) =>
      part === operation ? { ...operation, selectionSet } : part,
    ),
  };
}

/** Clients look for the type `RATE_LIMITED`; the code is the newer name. */
function limitExceededError(message: string) {
  return {
    type: 'RATE_LIMITED',
    code: 'graphql_rate_limit',
    message,
  };
}

function renderGraphqlError(error: GraphQLError) {
  const { message, locations, path, extensions } = error;
  return {
    message,
    ...(typeof extensions['type'] === 'string' && { type: extensions['type'] }),
    ...(path !== undefined && { path }),
    ...(locations !== undefined && { locations }),
  };
}
