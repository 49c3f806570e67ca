// What a GraphQL query costs: the calls it would take to fetch its connections one by one, in hundreds, and the nodes it may touch.
import {
  getNamedType,
  GraphQLError,
  isObjectType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

export interface Cost {
  points: number;
  nodes: number;
}

const MOST_NODES = 500_000;
const MOST_PER_PAGE = 100;
const CALLS_PER_POINT = 100;

type Variables = Readonly<Record<string, unknown>>;

/** Walks the valid operation. Throws where a connection has no bounds, or the whole is too much. */
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
  let calls = 0;
  let nodes = 0;

  function visit(set: SelectionSetNode, type: GraphQLObjectType, multiplier: number, path: string[]): void {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        visitField(selection, type, multiplier, path);
        continue;
      }
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      if (fragment === undefined) continue;
      const narrowed = fragment.typeCondition && schema.getType(fragment.typeCondition.name.value);
      visit(fragment.selectionSet, isObjectType(narrowed) ? narrowed : type, multiplier, path);
    }
  }

  function visitField(field: FieldNode, type: GraphQLObjectType, multiplier: number, path: string[]): void {
    const name = field.name.value;
    const inner = getNamedType(type.getFields()[name]?.type);
    if (!isObjectType(inner) || field.selectionSet === undefined) return;
    const here = [...path, field.alias?.value ?? name];
    if (!inner.name.endsWith('Connection')) return visit(field.selectionSet, inner, multiplier, here);
    const size = pageSize(field, variables, here);
    calls += multiplier;
    nodes += multiplier * size;
    if (nodes > MOST_NODES) {
      throw refuse(
        'MAX_NODE_LIMIT_EXCEEDED',
        `The query may touch more than ${MOST_NODES} nodes. Ask for smaller pages.`,
        here,
      );
    }
    visit(field.selectionSet, inner, multiplier * size, here);
  }

  const root = schema.getRootType(operation.operation);
  if (root) visit(operation.selectionSet, root, 1, []);
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
    if (typeof size === 'number' && size >= 1 && size <= MOST_PER_PAGE) return size;
    throw refuse(
      'EXCESSIVE_PAGINATION',
      `\`${name.value}\` on \`${field.name.value}\` must be from 1 to ${MOST_PER_PAGE}.`,
      path,
    );
  }
  throw refuse('MISSING_PAGINATION_BOUNDARIES', `\`${field.name.value}\` needs \`first\` or \`last\`.`, path);
}

function refuse(type: string, message: string, path: string[]): GraphQLError {
  return new GraphQLError(message, { path, extensions: { type } });
}
