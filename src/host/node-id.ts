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

/** Undefined for a text that is no such id. The type may be any word. */
export function parseNodeId(id: string): { type: string; key: string } | undefined {
  const [, length, rest = ''] =
    /^0(\d{1,2}):([A-Za-z]+.+)$/s.exec(Buffer.from(id, 'base64').toString('utf8')) ?? [];
  if (length === undefined) return undefined;
  return { type: rest.slice(0, Number(length)), key: rest.slice(Number(length)) };
}
