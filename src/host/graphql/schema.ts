// The GraphQL schema of the host: the viewer, users, search, pull requests and their threads, and the caller's rate limit.
import { buildSchema } from 'graphql';
import { findAccount, type Account } from '../../kernel/identity/store-accounts.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { searchMembers } from '../../kernel/identity/store-members.ts';
import { fullNameOf, publicNameOf, EMPTY_USER_PROFILE } from '../users/model.ts';
import { findProfile, listProfiles } from '../users/store.ts';
import type { GraphqlContext } from './context.ts';
import { typedError } from './cost.ts';
import { mutations } from './mutations.ts';
import { nodeField } from './node-fields.ts';
import { repositoryField } from './pull-fields.ts';
import { PULL_TYPES } from './pull-types.ts';
import { toUser } from './user-fields.ts';

export const schema = buildSchema(`
  scalar DateTime
  scalar URI
  enum SearchType { USER }
  type Query {
    "The caller."
    viewer: User!
    user(login: String!): User
    repository(owner: String!, name: String!): Repository
    "A pull request, a thread of its comments, or one of these."
    node(id: ID!): Node
    search(query: String!, type: SearchType!, first: Int, after: String, last: Int, before: String): SearchResultItemConnection!
    "The caller's budget and what this query costs. With dryRun nothing is spent, and no other field is fetched."
    rateLimit(dryRun: Boolean = false): RateLimit
  }
  type User implements Node {
    id: ID!
    databaseId: Int
    login: String!
    name: String
    url: URI!
    createdAt: DateTime!
    updatedAt: DateTime!
  }
  type SearchResultItemConnection { nodes: [User] edges: [SearchResultItemEdge] pageInfo: PageInfo! userCount: Int! }
  type SearchResultItemEdge { cursor: String! node: User }
  type PageInfo { startCursor: String endCursor: String hasNextPage: Boolean! hasPreviousPage: Boolean! }
  type RateLimit { cost: Int! limit: Int! nodeCount: Int! remaining: Int! used: Int! resetAt: DateTime! }
  ${PULL_TYPES}
`);

interface SearchArguments {
  query: string;
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

export const rootValue = {
  ...mutations,
  repository: repositoryField,
  node: nodeField,

  viewer(_arguments: unknown, { caller, base, kernel }: GraphqlContext) {
    const account = accountOf(caller);
    const name = async () => (await findProfile(kernel.db, account.id)).profile.name ?? fullNameOf(account);
    return { ...toUser(account, base), name };
  },

  async user({ login }: { login: string }, { kernel, base }: GraphqlContext) {
    const account = await findAccount(kernel.db, { username: login });
    if (account === undefined) return null;
    const name = async () => publicNameOf(account, (await findProfile(kernel.db, account.id)).profile);
    return { ...toUser(account, base), name };
  },

  async search({ query, first, after, last, before }: SearchArguments, { kernel, base }: GraphqlContext) {
    // PostgreSQL cannot store NUL in text.
    if (query.includes('\0') || query.length > MAX_CHARACTERS) {
      throw typedError('UNPROCESSABLE', `\`query\` must be text of at most ${MAX_CHARACTERS} characters.`);
    }
    const size = first ?? last ?? 1;
    const end = before == null ? undefined : offsetOf(before);
    const isBackward = first == null;
    const { total } = await searchMembers(kernel.db, query, { offset: 0, limit: 1 });
    const start = isBackward ? Math.max(0, (end ?? total) - size) : after == null ? 0 : offsetOf(after) + 1;
    const limit = isBackward ? Math.min(size, (end ?? total) - start) : size;
    const { items } = await searchMembers(kernel.db, query, { offset: start, limit: Math.max(0, limit) });
    const profiles = await listProfiles(
      kernel.db,
      items.map(({ id }) => id),
    );
    const nameOf = (member: Account) =>
      publicNameOf(member, profiles.get(member.id)?.profile ?? EMPTY_USER_PROFILE);
    const edges = items.map((member, index) => ({
      cursor: cursorOf(start + index),
      node: { ...toUser(member, base), name: nameOf(member) },
    }));
    return {
      nodes: edges.map(({ node }) => node),
      edges,
      userCount: total,
      pageInfo: {
        startCursor: edges[0]?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
        hasPreviousPage: start > 0,
        hasNextPage: start + items.length < total,
      },
    };
  },

  rateLimit: (_arguments: unknown, { cost, counter }: GraphqlContext) =>
    counter && {
      cost: cost.points,
      nodeCount: cost.nodes,
      limit: counter.limit,
      remaining: counter.remaining,
      used: counter.used,
      resetAt: new Date(counter.resetAt).toISOString(),
    },
};

/** As in the search over REST. */
const MAX_CHARACTERS = 256;

function cursorOf(offset: number): string {
  return Buffer.from(`cursor:${offset}`).toString('base64');
}

/** Accepts only offsets that fit the database: clients may forge a cursor. */
function offsetOf(cursor: string): number {
  const offset = /^cursor:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64').toString('utf8'))?.[1];
  if (offset === undefined)
    throw typedError('INVALID_CURSOR_ARGUMENTS', `"${cursor}" is not a cursor of this list.`);
  return Number(offset);
}
