// The types of repositories, pull requests and their threads in the GraphQL schema, and the changes that only GraphQL has.

export const PULL_TYPES = `
  "Whatever has a node id."
  interface Node { id: ID! }
  enum PullRequestState { OPEN CLOSED MERGED }
  enum DiffSide { LEFT RIGHT }
  enum PullRequestReviewThreadSubjectType { LINE FILE }
  type Repository implements Node {
    id: ID!
    databaseId: Int
    name: String!
    nameWithOwner: String!
    url: URI!
    isPrivate: Boolean!
    pullRequest(number: Int!): PullRequest
  }
  type PullRequest implements Node {
    id: ID!
    databaseId: Int
    number: Int!
    title: String!
    url: URI!
    state: PullRequestState!
    isDraft: Boolean!
    merged: Boolean!
    baseRefName: String!
    headRefName: String!
    headRefOid: String!
    createdAt: DateTime!
    updatedAt: DateTime!
    "Conversations about lines and files, the oldest first."
    reviewThreads(first: Int, after: String, last: Int, before: String): PullRequestReviewThreadConnection!
  }
  type PullRequestReviewThreadConnection {
    nodes: [PullRequestReviewThread]
    edges: [PullRequestReviewThreadEdge]
    pageInfo: PageInfo!
  }
  type PullRequestReviewThreadEdge { cursor: String! node: PullRequestReviewThread }
  type PullRequestReviewThread implements Node {
    id: ID!
    isResolved: Boolean!
    "Whether a push has taken the line out of the changes."
    isOutdated: Boolean!
    resolvedBy: User
    path: String!
    line: Int
    startLine: Int
    originalLine: Int
    originalStartLine: Int
    diffSide: DiffSide!
    startDiffSide: DiffSide
    subjectType: PullRequestReviewThreadSubjectType!
    viewerCanResolve: Boolean!
    viewerCanUnresolve: Boolean!
    pullRequest: PullRequest!
    comments(first: Int, after: String, last: Int, before: String): PullRequestReviewCommentConnection!
  }
  type PullRequestReviewCommentConnection {
    nodes: [PullRequestReviewComment]
    edges: [PullRequestReviewCommentEdge]
    pageInfo: PageInfo!
  }
  type PullRequestReviewCommentEdge { cursor: String! node: PullRequestReviewComment }
  type PullRequestReviewComment implements Node {
    id: ID!
    databaseId: Int
    body: String!
    path: String!
    diffHunk: String!
    outdated: Boolean!
    url: URI!
    createdAt: DateTime!
    updatedAt: DateTime!
  }
  type Mutation {
    resolveReviewThread(input: ResolveReviewThreadInput!): ResolveReviewThreadPayload
    unresolveReviewThread(input: UnresolveReviewThreadInput!): UnresolveReviewThreadPayload
    markPullRequestReadyForReview(input: MarkPullRequestReadyForReviewInput!): MarkPullRequestReadyForReviewPayload
    convertPullRequestToDraft(input: ConvertPullRequestToDraftInput!): ConvertPullRequestToDraftPayload
  }
  input ResolveReviewThreadInput { threadId: ID! clientMutationId: String }
  input UnresolveReviewThreadInput { threadId: ID! clientMutationId: String }
  input MarkPullRequestReadyForReviewInput { pullRequestId: ID! clientMutationId: String }
  input ConvertPullRequestToDraftInput { pullRequestId: ID! clientMutationId: String }
  type ResolveReviewThreadPayload { clientMutationId: String thread: PullRequestReviewThread }
  type UnresolveReviewThreadPayload { clientMutationId: String thread: PullRequestReviewThread }
  type MarkPullRequestReadyForReviewPayload { clientMutationId: String pullRequest: PullRequest }
  type ConvertPullRequestToDraftPayload { clientMutationId: String pullRequest: PullRequest }
`;
