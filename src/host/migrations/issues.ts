// The tables of issues, and of what belongs to them. A pull request is an issue with a row more.
import type { Migration } from '../../kernel/storage/migrate.ts';

const REPOSITORY = 'repository_number bigint not null references repositories (number) on delete cascade';
const ISSUE = 'issue_id bigint not null references issues (id) on delete cascade';

export const issueMigrations: Migration[] = [
  {
    name: 'host-issues',
    up: ({ serial, text }) => [
      // The repository's row is the lock under which numbers are given and open issues are counted.
      `alter table repositories add column last_issue_number bigint not null default 0`,
      `alter table repositories add column last_milestone_number bigint not null default 0`,
      `alter table repositories add column open_issue_count bigint not null default 0`,
      `create table labels (
         id ${serial}, ${REPOSITORY}, name ${text} not null, folded_name ${text} not null, color ${text} not null,
         description ${text}, is_default integer not null)`,
      `create unique index labels_name on labels (repository_number, folded_name)`,
      `create table milestones (
         id ${serial}, ${REPOSITORY}, number bigint not null, title ${text} not null, description ${text},
         state ${text} not null, creator_id ${text}, creator_name ${text}, due_on bigint,
         open_issue_count bigint not null, closed_issue_count bigint not null, completeness bigint not null,
         created_at bigint not null, updated_at bigint not null, closed_at bigint)`,
      `create unique index milestones_number on milestones (repository_number, number)`,
      `create unique index milestones_title on milestones (repository_number, title)`,
      // The same expression as in lists: what is due at no time comes last, on both engines.
      `create index milestones_due
         on milestones (repository_number, state, (coalesce(due_on, 9007199254740991)), number)`,
      `create index milestones_completeness on milestones (repository_number, state, completeness, number)`,
      // No foreign keys to milestones and labels: a deleted one may be on very many issues, which background work takes it from.
      `create table issues (
         id ${serial}, ${REPOSITORY}, number bigint not null, is_pull integer not null,
         author_id ${text}, author_name ${text}, title ${text} not null, body ${text},
         state ${text} not null, state_reason ${text}, is_locked integer not null, lock_reason ${text},
         milestone_id bigint, comment_count bigint not null,
         reactions ${text} not null, parent_id bigint references issues (id) on delete set null, parent_position bigint,
         created_at bigint not null, updated_at bigint not null, closed_at bigint, closed_by_id ${text})`,
      `create unique index issues_number on issues (repository_number, number)`,
      `create index issues_milestone on issues (milestone_id, id) where milestone_id is not null`,
      `create index issues_parent on issues (parent_id, parent_position, id) where parent_id is not null`,
      // One row for each list that an issue is in, with what lists are sorted by: every list is read in the order of an index.
      `create table issue_facets (
         ${ISSUE}, facet ${text} not null, repository_number bigint not null, state ${text} not null,
         created_at bigint not null, updated_at bigint not null, comment_count bigint not null,
         primary key (issue_id, facet))`,
      `create index issue_facets_created on issue_facets (facet, state, created_at, issue_id)`,
      `create index issue_facets_updated on issue_facets (facet, state, updated_at, issue_id)`,
      `create index issue_facets_comments on issue_facets (facet, state, comment_count, issue_id)`,
      `create table issue_labels (
         ${ISSUE}, label_id bigint not null, primary key (issue_id, label_id))`,
      `create index issue_labels_label on issue_labels (label_id, issue_id)`,
      `create table issue_assignees (
         ${ISSUE}, account_id ${text} not null, position bigint not null, primary key (issue_id, account_id))`,
      `create index issue_assignees_account on issue_assignees (account_id, issue_id)`,
      `create table issue_comments (
         id ${serial}, ${ISSUE}, repository_number bigint not null, author_id ${text}, author_name ${text},
         body ${text} not null, reactions ${text} not null, created_at bigint not null, updated_at bigint not null)`,
      // With the time of change, so that lists of what changed since some time pass over the others without their rows.
      `create index issue_comments_issue on issue_comments (issue_id, created_at, id, updated_at)`,
      `create index issue_comments_created on issue_comments (repository_number, created_at, id, updated_at)`,
      `create index issue_comments_updated on issue_comments (repository_number, updated_at, id)`,
      `create table reactions (
         id ${serial}, ${ISSUE}, subject ${text} not null, account_id ${text} not null, content ${text} not null,
         created_at bigint not null)`,
      `create unique index reactions_subject on reactions (subject, account_id, content)`,
      `create index reactions_order on reactions (subject, id)`,
      `create index reactions_content on reactions (subject, content, id)`,
      `create index reactions_issue on reactions (issue_id)`,
      `create table issue_events (
         id ${serial}, ${ISSUE}, repository_number bigint not null, event ${text} not null, is_listed integer not null,
         actor_id ${text}, actor_name ${text}, commit_id ${text}, subject_id bigint, details ${text} not null,
         created_at bigint not null)`,
      `create index issue_events_timeline on issue_events (issue_id, created_at, id)`,
      `create index issue_events_listed on issue_events (issue_id, id) where is_listed = 1`,
      `create index issue_events_repository on issue_events (repository_number, id) where is_listed = 1`,
      `create index issue_events_subject on issue_events (issue_id, event, subject_id) where subject_id is not null`,
      `create table issue_dependencies (
         ${ISSUE}, blocker_id bigint not null references issues (id) on delete cascade, created_at bigint not null,
         primary key (issue_id, blocker_id))`,
      `create index issue_dependencies_blocker on issue_dependencies (blocker_id, issue_id)`,
      // Which commits of default branches are known to name which issues: each does so once.
      `create table commit_references (${ISSUE}, commit_id ${text} not null, primary key (issue_id, commit_id))`,
      `create table rendered_texts (
         key ${text} primary key, html ${text} not null, used_at bigint not null)`,
      `create index rendered_texts_used on rendered_texts (used_at)`,
    ],
  },
  {
    name: 'host-milestone-labels',
    up: () => [
      // The milestone of the issue, so that the labels of a milestone are read without its issues.
      `alter table issue_labels add column milestone_id bigint`,
      `update issue_labels set milestone_id = (select milestone_id from issues where issues.id = issue_labels.issue_id)`,
      `create index issue_labels_milestone on issue_labels (milestone_id, label_id) where milestone_id is not null`,
    ],
  },
];
