// The tables of pull requests, and of reviews of them.
import type { Migration } from '../../kernel/storage/migrate.ts';

const PULL = 'issue_id bigint not null references pulls (issue_id) on delete cascade';

export const pullMigrations: Migration[] = [
  {
    name: 'host-pulls',
    up: ({ serial, text }) => [
      `create table pulls (
         issue_id bigint primary key references issues (id) on delete cascade,
         repository_number bigint not null, number bigint not null,
         base_ref ${text} not null, base_sha ${text} not null,
         head_repository_number bigint references repositories (number) on delete set null, head_owner_id ${text},
         head_ref ${text} not null, head_sha ${text} not null,
         is_draft integer not null, may_maintainer_modify integer not null,
         mergeable integer, rebaseable integer, checked_base ${text}, test_merge_sha ${text},
         merged_at bigint, merged_by_id ${text}, merge_commit_sha ${text},
         commit_count bigint not null, additions bigint not null, deletions bigint not null, changed_files bigint not null,
         review_comment_count bigint not null, open_key ${text})`,
      // Set while it is open: there is one of the same branches at a time.
      `create unique index pulls_open on pulls (open_key) where open_key is not null`,
      `create index pulls_base on pulls (repository_number, base_ref, issue_id) where open_key is not null`,
      // Closed ones too: a branch that is deleted later is in their timelines, and a repository that is deleted is taken from them.
      `create index pulls_head on pulls (head_repository_number, head_ref, issue_id)`,
      `create index pulls_head_sha on pulls (repository_number, head_sha, issue_id)`,
      `create index pulls_merge_commit on pulls (repository_number, merge_commit_sha, issue_id)
         where merge_commit_sha is not null`,
      // Which pull requests have a commit.
      `create index issue_events_commit on issue_events (repository_number, commit_id, issue_id) where event = 'committed'`,
      `create table requested_reviewers (
         ${PULL}, kind ${text} not null, reviewer ${text} not null, position bigint not null,
         primary key (issue_id, kind, reviewer))`,
      `create table reviews (
         id ${serial}, ${PULL}, author_id ${text}, author_name ${text}, state ${text} not null, body ${text} not null,
         commit_id ${text}, created_at bigint not null, submitted_at bigint, updated_at bigint not null)`,
      `create index reviews_pull on reviews (issue_id, id)`,
      `create unique index reviews_pending on reviews (issue_id, author_id) where state = 'PENDING'`,
      `create table review_threads (
         id ${serial}, ${PULL}, is_resolved integer not null, resolved_by_id ${text})`,
      `create index review_threads_pull on review_threads (issue_id, id)`,
      `create table review_comments (
         id ${serial}, ${PULL}, repository_number bigint not null,
         review_id bigint not null references reviews (id) on delete cascade,
         thread_id bigint not null references review_threads (id) on delete cascade, in_reply_to bigint,
         author_id ${text}, author_name ${text}, body ${text} not null, reactions ${text} not null,
         path ${text} not null, subject_type ${text} not null, diff_hunk ${text} not null,
         side ${text}, line bigint, start_side ${text}, start_line bigint, position bigint,
         original_line bigint, original_start_line bigint, original_position bigint,
         commit_id ${text} not null, original_commit_id ${text} not null,
         is_pending integer not null, created_at bigint not null, updated_at bigint not null)`,
      `create index review_comments_pull on review_comments (issue_id, created_at, id)`,
      `create index review_comments_review on review_comments (review_id, id)`,
      `create index review_comments_thread on review_comments (thread_id, id)`,
      `create index review_comments_created on review_comments (repository_number, created_at, id) where is_pending = 0`,
      `create index review_comments_updated on review_comments (repository_number, updated_at, id) where is_pending = 0`,
    ],
  },
  {
    name: 'host-reviews-lookups',
    up: () => [
      // What each author has decided last.
      `create index reviews_deciding on reviews (issue_id, author_id, id)
         where author_id is not null and state in ('APPROVED', 'CHANGES_REQUESTED', 'DISMISSED')`,
      // Accounts that end leave no pending reviews, and are requested for none; nor are teams.
      `create index reviews_pending_author on reviews (author_id, id) where state = 'PENDING'`,
      `create index requested_reviewers_reviewer on requested_reviewers (kind, reviewer, issue_id)`,
    ],
  },
  {
    name: 'host-pulls-head-pusher',
    up: ({ text }) => [`alter table pulls add column head_pusher_id ${text}`],
  },
  {
    name: 'host-review-comment-lists',
    up: () => [
      // With the time of change, so that lists of what changed since some time pass over the others without their rows.
      `create index review_comments_pull_created on review_comments (issue_id, created_at, id, updated_at)
         where is_pending = 0`,
      `create index review_comments_pull_updated on review_comments (issue_id, updated_at, id) where is_pending = 0`,
      // Those that are looked for again after a push.
      `create index review_comments_placed on review_comments (issue_id, id) where position is not null`,
    ],
  },
  {
    name: 'host-merge-checks',
    up: () => [
      `create table merge_checks (
         issue_id bigint primary key references pulls (issue_id) on delete cascade,
         repository_number bigint not null, asked_at bigint not null)`,
      `create index merge_checks_repository on merge_checks (repository_number, asked_at, issue_id)`,
    ],
  },
  {
    name: 'host-merge-intents',
    up: ({ text }) => [
      // Written before the base moves, and deleted with the end of the pull request: after a crash it says what the commit on the base is.
      `create table merge_intents (
         ${PULL}, commit_id ${text} not null, repository_number bigint not null, base_ref ${text} not null,
         merged_state ${text} not null, merged_by_id ${text} not null, created_at bigint not null,
         primary key (issue_id, commit_id))`,
      `create index merge_intents_base on merge_intents (repository_number, base_ref, issue_id)`,
    ],
  },
];
