// What an import sends and gets: batches of labels, milestones, issues, pull requests, comments and reviews as another server has them.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { ISSUE_STATES, LOCK_REASONS, MAX_ASSIGNEES, MAX_LABELS, STATE_REASONS } from '../issues/issue.ts';

/** Of one batch, of each kind. */
const MAX_BATCH = 100;

const SourceId = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Its id at the source: what was imported with the same one stays as it is',
});
/** Far from the end of what can be counted, so that the next number is free. */
const Number32 = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });
const Count = Type.Integer({ minimum: 0, maximum: 1_000_000_000 });
const Login = PlainText({ minLength: 1, maxLength: 100 });
const Author = Nullable(
  PlainText({
    minLength: 1,
    maxLength: 100,
    description: 'A login: the account that has it here is the author, else the name is shown',
  }),
);
const Time = Type.String({ format: 'date-time' });
const Text = PlainText();
const ObjectId = Type.String({ pattern: '^[0-9a-f]{40}$' });
const Branch = PlainText({ minLength: 1, maxLength: 1024 });

const ImportedLabel = Type.Object({
  name: PlainText(),
  color: Type.String({ pattern: '^[0-9A-Fa-f]{6}$' }),
  description: Nullable(PlainText({ maxLength: 100 })),
});

const ImportedMilestone = Type.Object({
  source_id: SourceId,
  number: Number32,
  title: PlainText({ minLength: 1, maxLength: 256 }),
  description: Nullable(Text),
  state: OneOf(ISSUE_STATES),
  author: Author,
  due_on: Nullable(Time),
  created_at: Time,
  updated_at: Time,
  closed_at: Nullable(Time),
});

const ImportedPull = Type.Object(
  {
    base: Type.Object({ ref: Branch, sha: ObjectId }),
    head: Type.Object({
      ref: Branch,
      sha: ObjectId,
      owner: Nullable(Login),
      is_fork: Type.Boolean({ description: 'The branch is one of another repository' }),
    }),
    draft: Type.Boolean(),
    maintainer_can_modify: Type.Boolean(),
    merged_at: Nullable(Time),
    merged_by: Author,
    merge_commit_sha: Nullable(ObjectId),
    commits: Count,
    additions: Count,
    deletions: Count,
    changed_files: Count,
  },
  { description: 'What a pull request has beside what issues have' },
);

const ImportedIssue = Type.Object({
  source_id: SourceId,
  number: Number32,
  title: PlainText(),
  body: Nullable(Text),
  author: Author,
  state: OneOf(ISSUE_STATES),
  state_reason: Nullable(OneOf(STATE_REASONS)),
  locked: Type.Boolean(),
  lock_reason: Nullable(OneOf(LOCK_REASONS)),
  labels: Type.Array(PlainText(), { maxItems: MAX_LABELS, description: 'Names; missing ones are created' }),
  assignees: Type.Array(Login, {
    maxItems: MAX_ASSIGNEES,
    description: 'Logins; those who cannot be assigned here are left out',
  }),
  milestone: Nullable(Number32),
  created_at: Time,
  updated_at: Time,
  closed_at: Nullable(Time),
  closed_by: Author,
  pull: Type.Optional(ImportedPull),
});

const WRITTEN = {
  source_id: SourceId,
  /** Of the issue or pull request that it belongs to. */
  number: Number32,
  author: Author,
  body: Text,
  created_at: Time,
  updated_at: Time,
};

const ImportedComment = Type.Object(WRITTEN);

const ImportedReview = Type.Object({
  ...WRITTEN,
  state: OneOf(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED']),
  commit_id: Nullable(ObjectId),
});

const SIDES = ['LEFT', 'RIGHT'] as const;
const Line = Nullable(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }));

const ImportedReviewComment = Type.Object({
  ...WRITTEN,
  review: Nullable(SourceId),
  in_reply_to: Nullable(SourceId),
  path: PlainText({ minLength: 1, maxLength: 4096 }),
  subject_type: OneOf(['line', 'file']),
  diff_hunk: PlainText({ maxLength: 65_536 }),
  side: Nullable(OneOf(SIDES)),
  line: Line,
  start_side: Nullable(OneOf(SIDES)),
  start_line: Line,
  position: Line,
  original_line: Line,
  original_start_line: Line,
  original_position: Line,
  commit_id: ObjectId,
  original_commit_id: ObjectId,
});

const some = <Item extends Parameters<typeof Type.Array>[0]>(item: Item) =>
  Type.Optional(Type.Array(item, { maxItems: MAX_BATCH }));

export const ImportBatch = Type.Object(
  {
    labels: some(ImportedLabel),
    milestones: some(ImportedMilestone),
    issues: some(ImportedIssue),
    comments: some(ImportedComment),
    reviews: some(ImportedReview),
    review_comments: some(ImportedReviewComment),
  },
  { $id: 'import-batch' },
);

export type SentBatch = Static<typeof ImportBatch>;
export type SentLabel = Static<typeof ImportedLabel>;
export type SentMilestone = Static<typeof ImportedMilestone>;
export type SentIssue = Static<typeof ImportedIssue>;
export type SentPull = Static<typeof ImportedPull>;
export type SentComment = Static<typeof ImportedComment>;
export type SentReview = Static<typeof ImportedReview>;
export type SentReviewComment = Static<typeof ImportedReviewComment>;

/** As they are named in replies. */
const IMPORTED_KINDS = ['milestone', 'issue', 'comment', 'review', 'review_comment'] as const;
export type ImportedKind = (typeof IMPORTED_KINDS)[number];

export const ImportBegin = Type.Object(
  {
    source: PlainText({
      minLength: 1,
      maxLength: 2000,
      description: 'The address that the repository has there',
    }),
  },
  { $id: 'import-begin' },
);

const Imported = Type.Object({
  count: Type.Integer(),
  updated_at: Nullable(Type.String({ format: 'date-time', description: 'The latest time of change there' })),
});

export const ImportReply = Type.Object(
  {
    source: Type.String(),
    begun_at: Type.String({ format: 'date-time' }),
    finished_at: Nullable(Type.String({ format: 'date-time' })),
    imported: Type.Object({
      milestone: Imported,
      issue: Imported,
      comment: Imported,
      review: Imported,
      review_comment: Imported,
    }),
  },
  { $id: 'import' },
);

export const ImportBatchReply = Type.Object(
  {
    created: Type.Integer(),
    unchanged: Type.Integer({ description: 'Imported before' }),
    left_out: Type.Array(
      Type.Object({ kind: OneOf(IMPORTED_KINDS), source_id: Type.Integer(), reason: Type.String() }),
      { description: 'What is not here, or not as it was' },
    ),
  },
  { $id: 'import-batch-result' },
);
export type BatchResult = Static<typeof ImportBatchReply>;
