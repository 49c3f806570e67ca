// Repositories as replies show them: minimal in lists, whole in single replies and wherever they are nested.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';
import { licenseOf, LicenseSimple } from '../licenses/license.ts';
import { includesRole, PULL_REQUEST_POLICIES, type Repository, type RepositoryRole } from './repository.ts';
import { SECURITY_AND_ANALYSIS, SecurityAndAnalysis } from './requests.ts';
import { REPOSITORY_URLS, urlsOf } from './urls.ts';
import { siteOf } from '../site.ts';

export const RepositoryPermissions = Type.Object({
  admin: Type.Boolean(),
  maintain: Type.Boolean(),
  push: Type.Boolean(),
  triage: Type.Boolean(),
  pull: Type.Boolean(),
});

const SIMPLE = {
  id: Type.Integer(),
  node_id: Type.String(),
  name: Type.String(),
  full_name: Type.String(),
  private: Type.Boolean(),
  owner: SimpleUser,
  html_url: Type.String(),
  description: Nullable(Type.String()),
  fork: Type.Boolean(),
  url: Type.String(),
  ...Object.fromEntries(REPOSITORY_URLS.map(([name]) => [name, Type.String()])),
};

const MINIMAL = {
  ...SIMPLE,
  clone_url: Type.String(),
  git_url: Type.String(),
  ssh_url: Type.String(),
  svn_url: Type.String(),
  mirror_url: Nullable(Type.String()),
  homepage: Nullable(Type.String()),
  language: Nullable(Type.String()),
  forks_count: Type.Integer(),
  forks: Type.Integer(),
  stargazers_count: Type.Integer(),
  watchers_count: Type.Integer(),
  watchers: Type.Integer(),
  size: Type.Integer(),
  default_branch: Type.String(),
  open_issues_count: Type.Integer(),
  open_issues: Type.Integer(),
  is_template: Type.Boolean(),
  topics: Type.Array(Type.String()),
  has_issues: Type.Boolean(),
  has_projects: Type.Boolean(),
  has_wiki: Type.Boolean(),
  has_pages: Type.Boolean(),
  has_discussions: Type.Boolean(),
  archived: Type.Boolean(),
  disabled: Type.Boolean(),
  visibility: OneOf(['public', 'private']),
  pushed_at: Nullable(Type.String({ format: 'date-time' })),
  created_at: Nullable(Type.String({ format: 'date-time' })),
  updated_at: Nullable(Type.String({ format: 'date-time' })),
  permissions: Type.Optional(RepositoryPermissions),
  license: Nullable(LicenseSimple),
  allow_forking: Type.Boolean(),
  web_commit_signoff_required: Type.Boolean(),
};

/** Shown to those who may push. */
const MERGING = {
  allow_rebase_merge: Type.Optional(Type.Boolean()),
  allow_squash_merge: Type.Optional(Type.Boolean()),
  allow_merge_commit: Type.Optional(Type.Boolean()),
  allow_auto_merge: Type.Optional(Type.Boolean()),
  allow_update_branch: Type.Optional(Type.Boolean()),
  delete_branch_on_merge: Type.Optional(Type.Boolean()),
  squash_merge_commit_title: Type.Optional(OneOf(['PR_TITLE', 'COMMIT_OR_PR_TITLE'])),
  squash_merge_commit_message: Type.Optional(OneOf(['PR_BODY', 'COMMIT_MESSAGES', 'BLANK'])),
  merge_commit_title: Type.Optional(OneOf(['PR_TITLE', 'MERGE_MESSAGE'])),
  merge_commit_message: Type.Optional(OneOf(['PR_BODY', 'PR_TITLE', 'BLANK'])),
};

/** What it is called and where it is, without anything that changes. */
export const SimpleRepository = Type.Object(SIMPLE, { $id: 'simple-repository' });

export const MinimalRepository = Type.Object(MINIMAL, { $id: 'minimal-repository' });

/** In lists of one's own repositories, and where other resources nest a repository. */
export const NestedRepository = Type.Object({ ...MINIMAL, ...MERGING }, { $id: 'repository' });

export const FullRepository = Type.Object(
  {
    ...MINIMAL,
    ...MERGING,
    organization: Type.Optional(Nullable(SimpleUser)),
    parent: Type.Optional(NestedRepository),
    source: Type.Optional(NestedRepository),
    network_count: Type.Integer(),
    subscribers_count: Type.Integer(),
    has_pull_requests: Type.Boolean(),
    pull_request_creation_policy: OneOf(PULL_REQUEST_POLICIES),
    security_and_analysis: Type.Optional(SecurityAndAnalysis),
  },
  { $id: 'full-repository' },
);

/** A repository with its owner and the caller's role, which decides what is shown. */
export interface ShownRepository {
  repository: Repository;
  owner: RepositoryOwner;
  /** Absent for callers without a credential. */
  role: RepositoryRole | undefined;
}

export function toSimpleRepository(
  { repository, owner }: Pick<ShownRepository, 'repository' | 'owner'>,
  base: string,
): Static<typeof SimpleRepository> {
  const fullName = `${owner.login}/${repository.name}`;
  return {
    id: repository.number,
    node_id: nodeId('Repository', repository.number),
    name: repository.name,
    full_name: fullName,
    private: repository.isPrivate,
    owner: toSimpleUser(owner, base),
    html_url: `${siteOf(base)}/${fullName}`,
    description: repository.description,
    fork: repository.sourceNumber !== null,
    url: `${base}/repos/${fullName}`,
    ...urlsOf(fullName, base),
  };
}

export function toMinimalRepository(shown: ShownRepository, base: string): Static<typeof MinimalRepository> {
  const { repository, owner, role } = shown;
  const { settings } = repository;
  const fullName = `${owner.login}/${repository.name}`;
  const page = `${siteOf(base)}/${fullName}`;
  const cloneUrl = `${page}.git`;
  return {
    ...toSimpleRepository(shown, base),
    clone_url: cloneUrl,
    // Programs hand these to git: an address that works is of more use than one of a protocol that is not served.
    git_url: cloneUrl,
    ssh_url: cloneUrl,
    svn_url: page,
    mirror_url: null,
    homepage: settings.homepage,
    language: repository.language,
    forks_count: repository.forkCount,
    forks: repository.forkCount,
    stargazers_count: repository.starCount,
    watchers_count: repository.starCount,
    watchers: repository.starCount,
    size: repository.sizeKb,
    default_branch: repository.defaultBranch,
    open_issues_count: repository.openIssueCount,
    open_issues: repository.openIssueCount,
    is_template: settings.isTemplate,
    topics: repository.topics,
    has_issues: settings.hasIssues,
    has_projects: settings.hasProjects,
    has_wiki: settings.hasWiki,
    has_pages: false,
    has_discussions: settings.hasDiscussions,
    archived: repository.isArchived,
    disabled: false,
    visibility: repository.isPrivate ? 'private' : 'public',
    pushed_at: isoSeconds(repository.pushedAt),
    created_at: isoSeconds(repository.createdAt),
    updated_at: isoSeconds(repository.updatedAt),
    ...(role !== undefined && { permissions: permissionsOf(role) }),
    license: licenseOf(repository.license, base),
    allow_forking: settings.allowForking,
    web_commit_signoff_required: settings.webCommitSignoffRequired,
  };
}

export function toNestedRepository(shown: ShownRepository, base: string): Static<typeof NestedRepository> {
  return {
    ...toMinimalRepository(shown, base),
    ...(includesRole(shown.role, 'write') && mergingOf(shown.repository)),
  };
}

export interface FullShown extends ShownRepository {
  parent?: ShownRepository;
  source?: ShownRepository;
}

export function toFullRepository(shown: FullShown, base: string): Static<typeof FullRepository> {
  const { repository, owner, role, parent, source } = shown;
  const { settings } = repository;
  return {
    ...toNestedRepository(shown, base),
    ...(owner.type === 'Organization' && { organization: toSimpleUser(owner, base) }),
    ...(parent && { parent: toNestedRepository(parent, base) }),
    ...(source && { source: toNestedRepository(source, base) }),
    network_count: repository.forkCount,
    subscribers_count: repository.watchCount,
    has_pull_requests: settings.hasPullRequests,
    pull_request_creation_policy: settings.pullRequestCreationPolicy,
    ...(role === 'admin' && { security_and_analysis: SECURITY_AND_ANALYSIS }),
  };
}

export function permissionsOf(role: RepositoryRole): Static<typeof RepositoryPermissions> {
  return {
    admin: role === 'admin',
    maintain: includesRole(role, 'maintain'),
    push: includesRole(role, 'write'),
    triage: includesRole(role, 'triage'),
    pull: true,
  };
}

function mergingOf({ settings }: Repository) {
  return {
    allow_rebase_merge: settings.allowRebaseMerge,
    allow_squash_merge: settings.allowSquashMerge,
    allow_merge_commit: settings.allowMergeCommit,
    allow_auto_merge: settings.allowAutoMerge,
    allow_update_branch: settings.allowUpdateBranch,
    delete_branch_on_merge: settings.deleteBranchOnMerge,
    squash_merge_commit_title: settings.squashMergeCommitTitle,
    squash_merge_commit_message: settings.squashMergeCommitMessage,
    merge_commit_title: settings.mergeCommitTitle,
    merge_commit_message: settings.mergeCommitMessage,
  };
}
