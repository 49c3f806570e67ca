// Tests of the cost of GraphQL queries, on a schema of repositories.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSchema, getOperationAST, GraphQLError, parse, validate } from 'graphql';
import { costOf } from './cost.ts';

const schema = buildSchema(`
  interface Node { id: ID! }
  union Owner = User | Bot
  type Query { viewer: User! node(id: ID!): Node owner: Owner }
  type User implements Node { id: ID! repositories(first: Int, last: Int): RepositoryConnection! }
  type Bot { id: ID! }
  type RepositoryConnection { nodes: [Repository] edges: [RepositoryEdge] totalCount: Int! }
  type RepositoryEdge { node: Repository }
  type Repository { name: String! issues(first: Int, last: Int): IssueConnection! }
  type IssueConnection { nodes: [Issue] edges: [IssueEdge] }
  type IssueEdge { node: Issue }
  type Issue { title: String! labels(first: Int, last: Int): LabelConnection! }
  type LabelConnection { nodes: [Label] }
  type Label { name: String! }
`);

function price(query: string, variables: Record<string, unknown> = {}) {
  const document = parse(query);
  assert.deepEqual(validate(schema, document), []);
  return costOf(schema, document, getOperationAST(document)!, variables);
}

function refusal(query: string, variables?: Record<string, unknown>) {
  try {
    price(query, variables);
  } catch (error) {
    assert.ok(error instanceof GraphQLError);
    return { type: error.extensions['type'], path: error.path };
  }
  return assert.fail('it has a price');
}

const repositories = (size: number, inside: string) =>
  `{ viewer { repositories(first: ${size}) { edges { node { ${inside} } } } } }`;

test('a query without connections costs one point', () => {
  assert.deepEqual(price('{ viewer { id } }'), { points: 1, nodes: 0 });
});

test('100 repositories with 50 issues with 60 labels are 5,101 calls: 51 points for 305,100 nodes', () => {
  const labels = 'labels(first: 60) { nodes { name } }';
  const query = repositories(100, `name issues(last: 50) { edges { node { title ${labels} } } }`);
  assert.deepEqual(price(query), { points: 51, nodes: 100 + 100 * 50 + 100 * 50 * 60 });
});

test('calls are rounded to hundreds, never below one point', () => {
  const issues = 'issues(first: 1) { nodes { title } }';
  assert.equal(price(repositories(1, issues)).points, 1);
  assert.equal(price(repositories(100, issues)).points, 1);
  assert.equal(price(repositories(100, `${issues} more: ${issues}`)).points, 2);
});

test('what is found by an id is a call, by whatever name it is asked for', () => {
  const nodes = (count: number) =>
    `{ ${Array.from({ length: count }, (_, index) => `n${index}: node(id: "${index}") { id }`).join(' ')} }`;
  assert.deepEqual(price(nodes(1)), { points: 1, nodes: 0 });
  assert.deepEqual(price(nodes(300)), { points: 3, nodes: 0 });
});

test('fragments and interfaces hide nothing', () => {
  const { nodes } = price(repositories(10, 'issues(first: 10) { nodes { title } }'));
  assert.equal(nodes, 110);
  const spread = `${repositories(10, '...Issues')} fragment Issues on Repository { issues(first: 10) { nodes { title } } }`;
  assert.equal(price(spread).nodes, 110);
  const inline = repositories(10, '... on Repository { ... { issues(first: 10) { nodes { title } } } }');
  assert.equal(price(inline).nodes, 110);
  const narrowed = '... on User { repositories(first: 7) { totalCount } }';
  assert.equal(price(`{ node(id: 1) { id ${narrowed} } owner { ${narrowed} } }`).nodes, 14);
});

test('fragments that spread each other twice are read once each', () => {
  const links = Array.from(
    { length: 60 },
    (_, at) => `fragment F${at} on User { ...F${at + 1} ...F${at + 1} }`,
  );
  const bomb = (end: string) => `{ viewer { ...F0 } } ${links.join(' ')} fragment F60 on User { ${end} }`;
  assert.deepEqual(price(bomb('id')), { points: 1, nodes: 0 });
  assert.equal(refusal(bomb('repositories(first: 1) { totalCount }')).type, 'MAX_NODE_LIMIT_EXCEEDED');
});

test('sizes come from variables too', () => {
  const query = 'query($n: Int) { viewer { repositories(first: $n) { totalCount } } }';
  assert.equal(price(query, { n: 30 }).nodes, 30);
  assert.equal(refusal(query).type, 'MISSING_PAGINATION_BOUNDARIES');
  assert.equal(refusal(query, { n: null }).type, 'MISSING_PAGINATION_BOUNDARIES');
  assert.equal(refusal(query, { n: 101 }).type, 'EXCESSIVE_PAGINATION');
});

test('a connection needs a size from 1 to 100, and the error names its path', () => {
  const sized = (bounds: string) => `{ viewer { mine: repositories${bounds} { totalCount } } }`;
  const path = ['viewer', 'mine'];
  assert.deepEqual(refusal(sized('')), { type: 'MISSING_PAGINATION_BOUNDARIES', path });
  for (const size of [0, -1, 101, 2_147_483_647])
    assert.deepEqual(refusal(sized(`(first: ${size})`)), { type: 'EXCESSIVE_PAGINATION', path });
  for (const size of [1, 100]) assert.equal(price(sized(`(last: ${size})`)).nodes, size);
});

test('no query may touch more than 500,000 nodes', () => {
  const labels = (size: number) =>
    repositories(100, `issues(first: 49) { nodes { labels(first: ${size}) { nodes { name } } } }`);
  assert.equal(price(labels(100)).nodes, 495_000);
  const more = repositories(100, 'issues(first: 50) { nodes { labels(first: 100) { nodes { name } } } }');
  assert.equal(refusal(more).type, 'MAX_NODE_LIMIT_EXCEEDED');
});
