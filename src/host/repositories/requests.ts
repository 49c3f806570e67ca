// Requests that create and change repositories: their schemas, what they set, and the security features that no request can switch.
import { Nullable, OneOf, PlainText, Type, type Static, problem } from '../../kernel/schema/schema.ts';
import { PULL_REQUEST_POLICIES, type Repository, type RepositorySettings } from './repository.ts';

type FeatureStatus = 'enabled' | 'disabled';

const SECURITY_FEATURES: Record<string, FeatureStatus> = {
  advanced_security: 'enabled',
  code_security: 'enabled',
  dependabot_security_updates: 'disabled',
  secret_scanning: 'disabled',
  secret_scanning_push_protection: 'disabled',
  secret_scanning_non_provider_patterns: 'disabled',
  secret_scanning_ai_detection: 'disabled',
  secret_scanning_delegated_alert_dismissal: 'disabled',
  secret_scanning_delegated_bypass: 'disabled',
};

const Feature = Type.Object({ status: Type.Optional(Type.String({ enum: ['enabled', 'disabled'] })) });

/** Code scanning is always there, others are not, and none can be switched. */
export const SecurityAndAnalysis = Type.Object(
  Object.fromEntries(Object.keys(SECURITY_FEATURES).map((name) => [name, Type.Optional(Feature)])),
  {
    $id: 'security-and-analysis',
    description: 'Code scanning is always enabled, and what this server does not have is always disabled',
  },
);

export const SECURITY_AND_ANALYSIS: Static<typeof SecurityAndAnalysis> = Object.fromEntries(
  Object.entries(SECURITY_FEATURES).map(([name, status]) => [name, { status }]),
);

/** A setting that has no effect must not be accepted: somebody would rely on a scan that never happens. */
export function checkSecurityFeatures(sent: Static<typeof SecurityAndAnalysis>): void {
  for (const [name, feature] of Object.entries(sent)) {
    const status = (feature as Static<typeof Feature>).status;
    const actual = SECURITY_FEATURES[name];
    if (status !== undefined && actual !== undefined && status !== actual)
      throw problem(
        `security_and_analysis.${name}.status`,
        `is always ${actual}: ${actual === 'enabled' ? 'it cannot be switched off' : 'this server does not have it'}`,
      );
  }
}

const Text = PlainText({ maxLength: 350 });

const FEATURES = {
  has_issues: Type.Optional(Type.Boolean()),
  has_projects: Type.Optional(Type.Boolean()),
  has_wiki: Type.Optional(Type.Boolean()),
  has_discussions: Type.Optional(Type.Boolean()),
  is_template: Type.Optional(Type.Boolean()),
  allow_squash_merge: Type.Optional(Type.Boolean()),
  allow_merge_commit: Type.Optional(Type.Boolean()),
  allow_rebase_merge: Type.Optional(Type.Boolean()),
  allow_auto_merge: Type.Optional(Type.Boolean()),
  delete_branch_on_merge: Type.Optional(Type.Boolean()),
  squash_merge_commit_title: Type.Optional(OneOf(['PR_TITLE', 'COMMIT_OR_PR_TITLE'])),
  squash_merge_commit_message: Type.Optional(OneOf(['PR_BODY', 'COMMIT_MESSAGES', 'BLANK'])),
  merge_commit_title: Type.Optional(OneOf(['PR_TITLE', 'MERGE_MESSAGE'])),
  merge_commit_message: Type.Optional(OneOf(['PR_BODY', 'PR_TITLE', 'BLANK'])),
};

const COMMON = {
  description: Type.Optional(Nullable(Text)),
  homepage: Type.Optional(Nullable(PlainText({ maxLength: 255 }))),
  private: Type.Optional(Type.Boolean()),
  visibility: Type.Optional(OneOf(['public', 'private'])),
  ...FEATURES,
};

const RepositoryName = PlainText({ minLength: 1, maxLength: 100 });

export const RepositoryCreation = Type.Object(
  {
    name: RepositoryName,
    ...COMMON,
    auto_init: Type.Optional(Type.Boolean()),
    gitignore_template: Type.Optional(PlainText({ maxLength: 100 })),
    license_template: Type.Optional(PlainText({ maxLength: 100 })),
    team_id: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2 ** 31 - 1,
        description: 'A team of the organization that gets the repository, with the role of the team',
      }),
    ),
  },
  { $id: 'repository-creation' },
);

export const RepositoryPatch = Type.Object(
  {
    name: Type.Optional(RepositoryName),
    ...COMMON,
    default_branch: Type.Optional(PlainText({ minLength: 1, maxLength: 255 })),
    archived: Type.Optional(Type.Boolean()),
    allow_forking: Type.Optional(Type.Boolean()),
    allow_update_branch: Type.Optional(Type.Boolean()),
    web_commit_signoff_required: Type.Optional(Type.Boolean()),
    has_pull_requests: Type.Optional(Type.Boolean()),
    pull_request_creation_policy: Type.Optional(OneOf(PULL_REQUEST_POLICIES)),
    security_and_analysis: Type.Optional(Nullable(SecurityAndAnalysis)),
  },
  { $id: 'repository-patch' },
);

export type SentRepository = Partial<Static<typeof RepositoryCreation>> & Static<typeof RepositoryPatch>;

/** Undefined where the request leaves it as it is. */
export function isPrivateIn({ visibility, private: isPrivate }: SentRepository): boolean | undefined {
  return visibility === undefined ? isPrivate : visibility === 'private';
}

/** What the request leaves out stays. */
export function settingsAfter(before: RepositorySettings, sent: SentRepository): RepositorySettings {
  const given: { [name in keyof RepositorySettings]: RepositorySettings[name] | undefined } = {
    homepage: sent.homepage === '' ? null : sent.homepage,
    hasIssues: sent.has_issues,
    hasProjects: sent.has_projects,
    hasWiki: sent.has_wiki,
    hasDiscussions: sent.has_discussions,
    isTemplate: sent.is_template,
    allowForking: sent.allow_forking,
    allowMergeCommit: sent.allow_merge_commit,
    allowSquashMerge: sent.allow_squash_merge,
    allowRebaseMerge: sent.allow_rebase_merge,
    allowAutoMerge: sent.allow_auto_merge,
    allowUpdateBranch: sent.allow_update_branch,
    deleteBranchOnMerge: sent.delete_branch_on_merge,
    squashMergeCommitTitle: sent.squash_merge_commit_title,
    squashMergeCommitMessage: sent.squash_merge_commit_message,
    mergeCommitTitle: sent.merge_commit_title,
    mergeCommitMessage: sent.merge_commit_message,
    webCommitSignoffRequired: sent.web_commit_signoff_required,
    hasPullRequests: sent.has_pull_requests,
    pullRequestCreationPolicy: sent.pull_request_creation_policy,
  };
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(entries) };
}

/** Characters that a name cannot have become hyphens, as people expect who type a title. */
export function toRepositoryName(sent: string): string {
  return sent.trim().replaceAll(/[^A-Za-z0-9._-]+/g, '-');
}

/** For the audit log. */
export function auditedRepository({ settings, ...repository }: Repository) {
  const { number, name, description, isPrivate, isArchived, defaultBranch, topics } = repository;
  return {
    id: number,
    name,
    description,
    private: isPrivate,
    archived: isArchived,
    defaultBranch,
    topics,
    ...settings,
  };
}
