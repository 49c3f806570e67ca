// Repositories, commits and references, as the host API has them.

export interface Repository {
  id: number;
  name: string;
  full_name: string;
  owner: { login: string };
  private: boolean;
  archived: boolean;
  fork: boolean;
  description: string | null;
  language: string | null;
  default_branch: string;
  clone_url: string;
  ssh_url?: string | null;
  open_issues_count: number;
  forks_count: number;
  stargazers_count: number;
  /** Of one that is read by itself. */
  subscribers_count?: number;
  updated_at: string;
  pushed_at: string | null;
  has_issues: boolean;
  has_pull_requests: boolean;
  pull_request_creation_policy: 'all' | 'collaborators_only';
  is_template: boolean;
  allow_forking: boolean;
  homepage: string | null;
  topics: string[];
  /** Where an organization owns it. */
  organization?: { login: string } | null;
  allow_merge_commit?: boolean;
  allow_squash_merge?: boolean;
  allow_rebase_merge?: boolean;
  delete_branch_on_merge?: boolean;
  merge_commit_title?: 'PR_TITLE' | 'MERGE_MESSAGE';
  merge_commit_message?: 'PR_BODY' | 'PR_TITLE' | 'BLANK';
  squash_merge_commit_title?: 'PR_TITLE' | 'COMMIT_OR_PR_TITLE';
  squash_merge_commit_message?: 'PR_BODY' | 'COMMIT_MESSAGES' | 'BLANK';
  permissions?: { admin: boolean; push: boolean; triage?: boolean };
}

export function isOfOrganization({ organization }: Repository): boolean {
  return organization !== undefined && organization !== null;
}

export interface GitPerson {
  name: string;
  email: string;
  date: string;
}

export interface Commit {
  sha: string;
  commit: {
    message: string;
    author: GitPerson | null;
    committer: GitPerson | null;
    verification?: { reason: string };
  };
  author: { login: string } | null;
  committer: { login: string } | null;
  parents: { sha: string }[];
}

export interface Branch {
  name: string;
  commit: { sha: string };
  protected: boolean;
}

export interface Tag {
  name: string;
  commit: { sha: string };
}

export function firstLine(message: string): string {
  return message.split('\n', 1)[0]!;
}

/** What follows the first line of a message. */
export function otherLines(message: string): string {
  return message.split('\n').slice(1).join('\n').trim();
}

const SHORT_SHA = 7;

export function shortSha(sha: string): string {
  return sha.slice(0, SHORT_SHA);
}

/** A branch and a tag may have any name; what looks like a commit is shown as one. */
export function isSha(ref: string): boolean {
  return /^[0-9a-f]{40}$/.test(ref);
}
