// The general settings of a repository as their form has them, and the calls that save what was changed.
import type { Call } from '../../api/call.ts';
import type { RepositoryPlace } from '../place.ts';
import { repositoryCall } from '../queries.ts';
import type { Repository } from '../repository.ts';
import { GENERAL } from './settings-words.ts';

export type MergeTitle = NonNullable<Repository['merge_commit_title']>;
export type MergeMessage = NonNullable<Repository['merge_commit_message']>;
export type SquashTitle = NonNullable<Repository['squash_merge_commit_title']>;
export type SquashMessage = NonNullable<Repository['squash_merge_commit_message']>;

/** By the names of the API. */
export interface GeneralSettings {
  description: string;
  homepage: string;
  topics: string[];
  default_branch: string;
  has_issues: boolean;
  has_pull_requests: boolean;
  pull_request_creation_policy: Repository['pull_request_creation_policy'];
  allow_forking: boolean;
  is_template: boolean;
  allow_merge_commit: boolean;
  merge_commit_title: MergeTitle;
  merge_commit_message: MergeMessage;
  allow_squash_merge: boolean;
  squash_merge_commit_title: SquashTitle;
  squash_merge_commit_message: SquashMessage;
  allow_rebase_merge: boolean;
  delete_branch_on_merge: boolean;
}

export function settingsOf(repository: Repository): GeneralSettings {
  return {
    description: repository.description ?? '',
    homepage: repository.homepage ?? '',
    topics: repository.topics,
    default_branch: repository.default_branch,
    has_issues: repository.has_issues,
    has_pull_requests: repository.has_pull_requests,
    pull_request_creation_policy: repository.pull_request_creation_policy,
    allow_forking: repository.allow_forking,
    is_template: repository.is_template,
    allow_merge_commit: repository.allow_merge_commit ?? true,
    merge_commit_title: repository.merge_commit_title ?? 'MERGE_MESSAGE',
    merge_commit_message: repository.merge_commit_message ?? 'PR_TITLE',
    allow_squash_merge: repository.allow_squash_merge ?? true,
    squash_merge_commit_title: repository.squash_merge_commit_title ?? 'COMMIT_OR_PR_TITLE',
    squash_merge_commit_message: repository.squash_merge_commit_message ?? 'COMMIT_MESSAGES',
    allow_rebase_merge: repository.allow_rebase_merge ?? true,
    delete_branch_on_merge: repository.delete_branch_on_merge ?? false,
  };
}

/** For the line that says what is to be saved. */
const NAMES: Record<keyof GeneralSettings, string> = {
  description: GENERAL.description,
  homepage: GENERAL.homepage,
  topics: GENERAL.topics,
  default_branch: GENERAL.defaultBranch,
  has_issues: GENERAL.issues,
  has_pull_requests: GENERAL.pulls,
  pull_request_creation_policy: GENERAL.pullPolicy,
  allow_forking: GENERAL.forking,
  is_template: GENERAL.template,
  allow_merge_commit: GENERAL.merge,
  merge_commit_title: `${GENERAL.merge}, ${lower(GENERAL.titleOf)}`,
  merge_commit_message: `${GENERAL.merge}, ${lower(GENERAL.messageOf)}`,
  allow_squash_merge: GENERAL.squash,
  squash_merge_commit_title: `${GENERAL.squash}, ${lower(GENERAL.titleOf)}`,
  squash_merge_commit_message: `${GENERAL.squash}, ${lower(GENERAL.messageOf)}`,
  allow_rebase_merge: GENERAL.rebase,
  delete_branch_on_merge: GENERAL.deleteBranch,
};

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

export function nameOfSetting(name: keyof GeneralSettings): string {
  return `“${NAMES[name]}”`;
}

/** Those of a patch that differ from what is saved: others may have saved the same meanwhile. */
export function changedSettings(
  saved: GeneralSettings,
  patch: Partial<GeneralSettings>,
): Partial<GeneralSettings> {
  const differing = Object.entries(patch).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(saved[name as keyof GeneralSettings]),
  );
  return Object.fromEntries(differing);
}

/** Topics have a call of their own. What was not changed is not sent, so that the changes of others stay. */
export function saveCalls(place: RepositoryPlace, changed: Partial<GeneralSettings>): Call[] {
  const { topics, ...rest } = changed;
  const fields = Object.entries(rest).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.trim() : value,
  ]);
  return [
    ...(fields.length === 0
      ? []
      : [
          {
            ...repositoryCall(place),
            method: 'PATCH' as const,
            body: Object.fromEntries(fields) as Record<string, unknown>,
          },
        ]),
    ...(topics === undefined
      ? []
      : [{ ...repositoryCall(place, '/topics'), method: 'PUT' as const, body: { names: topics } }]),
  ];
}

export function isHomepage(text: string): boolean {
  return text.trim() === '' || /^https?:\/\/\S+$/i.test(text.trim());
}
