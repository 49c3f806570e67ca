// Node ids: one opaque text for every type of resource, which GraphQL finds it by.

/** Everything that has a node id. */
export type NodeType =
  | 'Blob'
  | 'Bot'
  | 'Commit'
  | 'CommitComment'
  | 'Integration'
  | 'IntegrationInstallation'
  | 'Gist'
  | 'GistComment'
  | 'Issue'
  | 'IssueComment'
  | 'IssueEvent'
  | 'Label'
  | 'License'
  | 'Milestone'
  | 'Organization'
  | 'PullRequest'
  | 'PullRequestReview'
  | 'PullRequestReviewComment'
  | 'PullRequestReviewThread'
  | 'Reaction'
  | 'Ref'
  | 'Repository'
  | 'Status'
  | 'Tag'
  | 'Team'
  | 'Tree'
  | 'User';

/** Objects of git and refs are named by their repository's number, a colon and their own name. */
export function nodeId(type: NodeType, key: number | string): string {
  return Buffer.from(`0${type.length}:${type}${key}`).toString('base64');
}
