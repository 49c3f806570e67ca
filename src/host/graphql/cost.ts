// The cost of a GraphQL query: the calls that would fetch its connections one by one, in hundreds, and the nodes it may touch.
import {
  getNamedType,
  GraphQLError,
  isCompositeType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export interface Cost {
  points: number;
  nodes: number;
}

/** The cost of a selection for one object that it applies to. */
interface SelectionCost {
  calls: number;
  nodes: number;
}

const NO_COST: SelectionCost = { calls: 0, nodes: 0 };
const MAX_NODES = 500_000;
const MAX_PER_PAGE = 100;
const CALLS_PER_POINT = 100;

/** Fields that find one thing by their arguments, each with a call: a query may ask for many of them by other names. */
const LOOKUPS: readonly string[] = ['node', 'repository', 'pullRequest'];

type Variables = Readonly<Record<string, unknown>>;

/** Expects a valid operation with coerced variables. Throws when a connection has no page size, or the query touches too many nodes. */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Cost {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const part of document.definitions) {
    if (part.kind === Kind.FRAGMENT_DEFINITION) fragments.set(part.name.value, part);
  }
  // Each fragment is visited once: fragments that spread each other twice would take exponential time.
  const known = new Map<string, SelectionCost>();

  function ofSet(
    { selections }: SelectionSetNode,
    type: GraphQLCompositeType,
    path: string[],
  ): SelectionCost {
    let { calls, nodes } = NO_COST;
    for (const selection of selections) {
      const part = ofSelection(selection, type, path);
      calls += part.calls;
      nodes += part.nodes;
    }
    return { calls, nodes };
  }

  function ofSelection(selection: SelectionNode, type: GraphQLCompositeType, path: string[]): SelectionCost {
    if (selection.kind === Kind.FIELD) return ofField(selection, type, path);
    const name = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : undefined;
    const seen = name === undefined ? undefined : known.get(name);
    if (seen !== undefined) return seen;
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(name!) : selection;
    if (fragment === undefined) return NO_COST;
    const narrowed = fragment.typeCondition && schema.getType(fragment.typeCondition.name.value);
    const cost = ofSet(fragment.selectionSet, isCompositeType(narrowed) ? narrowed : type, path);
    if (name !== undefined) known.set(name, cost);
    return cost;
  }

  function ofField(field: FieldNode, type: GraphQLCompositeType, path: string[]): SelectionCost {
    const name = field.name.value;
    const inner = 'getFields' in type ? getNamedType(type.getFields()[name]?.type) : undefined;
    if (!isCompositeType(inner) || field.selectionSet === undefined) return NO_COST;
    const here = [...path, field.alias?.value ?? name];
    if (!inner.name.endsWith('Connection')) {
      const { calls, nodes } = ofSet(field.selectionSet, inner, here);
      const isLookup = LOOKUPS.includes(name) && (field.arguments ?? []).length > 0;
      return { calls: calls + Number(isLookup), nodes };
    }
    const size = pageSize(field, variables, here);
    const each = ofSet(field.selectionSet, inner, here);
    return { calls: 1 + size * each.calls, nodes: size + size * each.nodes };
  }

  const root = schema.getRootType(operation.operation);
  const { calls, nodes } = root ? ofSet(operation.selectionSet, root, []) : NO_COST;
  if (nodes > MAX_NODES) {
    throw typedError(
      'MAX_NODE_LIMIT_EXCEEDED',
      `The query may touch ${nodes} nodes, more than ${MAX_NODES}. Ask for smaller pages.`,
    );
  }
  return { points: Math.max(1, Math.round(calls / CALLS_PER_POINT)), nodes };
}

function pageSize(field: FieldNode, variables: Variables, path: string[]): number {
  for (const { name, value } of field.arguments ?? []) {
    if (name.value !== 'first' && name.value !== 'last') continue;
    const size =
      value.kind === Kind.VARIABLE
        ? variables[value.name.value]
        : value.kind === Kind.INT
          ? Number(value.value)
          : undefined;
    if (size === undefined || size === null) continue;
    if (typeof size === 'number' && size >= 1 && size <= MAX_PER_PAGE) return size;
    throw typedError(
      'EXCESSIVE_PAGINATION',
      `\`${name.value}\` on \`${field.name.value}\` must be from 1 to ${MAX_PER_PAGE}.`,
      path,
    );
  }
  throw typedError(
    'MISSING_PAGINATION_BOUNDARIES',
    `\`${field.name.value}\` needs \`first\` or \`last\`.`,
    path,
  );
}

/** An error with one of the types that clients know. */
export function typedError(type: string, message: string, path?: string[]): GraphQLError {
  return new GraphQLError(message, { ...(path !== undefined && { path }), extensions: { type } });
}
