// A repository as rules know it: its owner, name, visibility, settings and counters.

/** Who may create pull requests. */
export const PULL_REQUEST_POLICIES = ['all', 'collaborators_only'] as const;

export interface RepositorySettings {
  homepage: string | null;
  hasIssues: boolean;
  hasProjects: boolean;
  hasWiki: boolean;
  hasDiscussions: boolean;
  isTemplate: boolean;
  allowForking: boolean;
  allowMergeCommit: boolean;
  allowSquashMerge: boolean;
  allowRebaseMerge: boolean;
  allowAutoMerge: boolean;
  allowUpdateBranch: boolean;
  deleteBranchOnMerge: boolean;
  squashMergeCommitTitle: 'PR_TITLE' | 'COMMIT_OR_PR_TITLE';
  squashMergeCommitMessage: 'PR_BODY' | 'COMMIT_MESSAGES' | 'BLANK';
  mergeCommitTitle: 'PR_TITLE' | 'MERGE_MESSAGE';
  mergeCommitMessage: 'PR_BODY' | 'PR_TITLE' | 'BLANK';
  webCommitSignoffRequired: boolean;
  hasPullRequests: boolean;
  pullRequestCreationPolicy: (typeof PULL_REQUEST_POLICIES)[number];
}

export const DEFAULT_REPOSITORY_SETTINGS: RepositorySettings = {
  homepage: null,
  hasIssues: true,
  hasProjects: true,
  hasWiki: true,
  hasDiscussions: false,
  isTemplate: false,
  allowForking: true,
  allowMergeCommit: true,
  allowSquashMerge: true,
  allowRebaseMerge: true,
  allowAutoMerge: false,
  allowUpdateBranch: false,
  deleteBranchOnMerge: false,
  squashMergeCommitTitle: 'COMMIT_OR_PR_TITLE',
  squashMergeCommitMessage: 'COMMIT_MESSAGES',
  mergeCommitTitle: 'MERGE_MESSAGE',
  mergeCommitMessage: 'PR_TITLE',
  webCommitSignoffRequired: false,
  hasPullRequests: true,
  pullRequestCreationPolicy: 'all',
};

/**
 * Why a copy of private code stays private. A fork follows the access of its owner to the source; it is orphaned where the
 * source was deleted after the owner had lost that access. A repository from a template does not depend on access.
 */
export type RepositoryBinding = 'fork' | 'orphan' | 'template';

export interface Repository {
  number: number;
  ownerId: string;
  name: string;
  description: string | null;
  isPrivate: boolean;
  isArchived: boolean;
  defaultBranch: string;
  settings: RepositorySettings;
  topics: string[];
  /** Bytes by language. */
  languages: Record<string, number>;
  language: string | null;
  /** The SPDX identifier. */
  license: string | null;
  sizeKb: number;
  parentNumber: number | null;
  sourceNumber: number | null;
  binding: RepositoryBinding | null;
  starCount: number;
  watchCount: number;
  forkCount: number;
  /** Pull requests too. */
  openIssueCount: number;
  createdAt: number;
  updatedAt: number;
  pushedAt: number;
}

/** As policies name it. */
export function repositoryResource({
  repository,
  owner,
}: {
  repository: { name: string };
  owner: { login: string };
}): string {
  return `repo/${owner.login}/${repository.name}`;
}

/** What a role allows, weakest first; each includes those before it. */
export const REPOSITORY_ROLES = ['read', 'triage', 'write', 'maintain', 'admin'] as const;

export type RepositoryRole = (typeof REPOSITORY_ROLES)[number];

/** Whether the role includes what another may do; no role includes nothing. */
export function includesRole(role: RepositoryRole | undefined, needed: RepositoryRole): boolean {
  return role !== undefined && REPOSITORY_ROLES.indexOf(role) >= REPOSITORY_ROLES.indexOf(needed);
}

/** The stronger of two. */
export function strongerRole(
  one: RepositoryRole | undefined,
  other: RepositoryRole | undefined,
): RepositoryRole | undefined {
  if (other === undefined) return one;
  return includesRole(one, other) ? one : other;
}

/** Older names of roles, which requests still use. */
const OLD_NAMES: Record<string, RepositoryRole> = { pull: 'read', push: 'write' };

/** Undefined for other words, which may name a custom role. */
export function parseRole(word: string): RepositoryRole | undefined {
  const role = OLD_NAMES[word] ?? word;
  return (REPOSITORY_ROLES as readonly string[]).includes(role) ? (role as RepositoryRole) : undefined;
}

const NAME = /^[A-Za-z0-9._-]{1,100}$/;

/** Whether a repository may have the name: `.git` is part of its address, and `.` and `..` are folders. */
export function isRepositoryName(name: string): boolean {
  return NAME.test(name) && !/^\.{1,2}$/.test(name) && !/\.(?:git|wiki|atom)$/i.test(name);
}
