// Turns what another server says of labels, milestones, issues, pull requests, comments and reviews into what an import sends.
import type {
  SentBatch,
  SentComment,
  SentIssue,
  SentPull,
  SentReview,
  SentReviewComment,
} from '../../../host/imports/model.ts';

/** A reply of another server: any member may be missing, or be something else. */
export type SourceReply = Readonly<Record<string, unknown>>;

const MAX_TITLE = 256;
const MAX_BODY = 65_536;
const MAX_LABEL = 50;
const MAX_DESCRIPTION = 100;
const MAX_LABELS = 100;
const MAX_ASSIGNEES = 10;
const MAX_LOGIN = 100;
const STATE_REASONS = ['completed', 'not_planned', 'duplicate', 'reopened'] as const;
const LOCK_REASONS = ['off-topic', 'too heated', 'resolved', 'spam'] as const;
const REVIEW_STATES = ['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED'] as const;

type LabelItem = NonNullable<SentBatch['labels']>[number];
type MilestoneItem = NonNullable<SentBatch['milestones']>[number];

export function labelItem(label: SourceReply): LabelItem {
  const color = textOf(label['color']) ?? '';
  return {
    name: labelName(label),
    color: /^[0-9a-f]{6}$/i.test(color) ? color : 'ededed',
    description: cut(textOf(label['description']), MAX_DESCRIPTION),
  };
}

function labelName(label: unknown): string {
  const name = typeof label === 'string' ? label : textOf((label as SourceReply)['name']);
  return cut(name ?? '', MAX_LABEL).trim() || 'unnamed';
}

export function milestoneItem(milestone: SourceReply): MilestoneItem {
  return {
    source_id: idOf(milestone['id']),
    number: idOf(milestone['number']),
    title: cut(textOf(milestone['title']) ?? '', MAX_TITLE).trim() || 'unnamed',
    description: cut(textOf(milestone['description']), MAX_BODY),
    state: milestone['state'] === 'closed' ? 'closed' : 'open',
    author: loginOf(milestone['creator']),
    due_on: textOf(milestone['due_on']),
    ...timesOf(milestone),
    closed_at: textOf(milestone['closed_at']),
  };
}

/** `pull` is the reply about the same pull request, where it is one. */
export function issueItem(issue: SourceReply, pull?: SourceReply): SentIssue {
  const assignees = listOf(issue['assignees']).map(loginOf);
  const state = issue['state'] === 'closed' ? 'closed' : 'open';
  return {
    source_id: idOf(issue['id']),
    number: idOf(issue['number']),
    title: cut(textOf(issue['title']) ?? '', MAX_TITLE).trim() || 'Untitled',
    body: cut(textOf(issue['body']), MAX_BODY),
    author: loginOf(issue['user']),
    state,
    state_reason: wordIn(STATE_REASONS, issue['state_reason']),
    locked: issue['locked'] === true,
    lock_reason: wordIn(LOCK_REASONS, issue['active_lock_reason']),
    labels: listOf(issue['labels']).map(labelName).slice(0, MAX_LABELS),
    assignees: assignees.filter((login) => login !== null).slice(0, MAX_ASSIGNEES),
    milestone: numberOf((issue['milestone'] as SourceReply | null)?.['number']),
    ...timesOf(issue),
    closed_at: textOf(issue['closed_at']),
    closed_by: loginOf(issue['closed_by']),
    ...(pull !== undefined && { pull: pullItem(pull) }),
  };
}

function pullItem(pull: SourceReply): SentPull {
  const base = (pull['base'] ?? {}) as SourceReply;
  const head = (pull['head'] ?? {}) as SourceReply;
  const repositoryIn = (side: SourceReply) => (side['repo'] as SourceReply | null)?.['id'];
  const isFork = repositoryIn(head) === undefined || repositoryIn(head) !== repositoryIn(base);
  return {
    base: { ref: textOf(base['ref']) ?? '', sha: textOf(base['sha']) ?? '' },
    head: {
      ref: textOf(head['ref']) ?? '',
      sha: textOf(head['sha']) ?? '',
      owner: loginOf(head['user']),
      is_fork: isFork,
    },
    draft: pull['draft'] === true,
    maintainer_can_modify: pull['maintainer_can_modify'] === true,
    merged_at: textOf(pull['merged_at']),
    merged_by: loginOf(pull['merged_by']),
    merge_commit_sha: textOf(pull['merge_commit_sha']),
    commits: numberOf(pull['commits']) ?? 0,
    additions: numberOf(pull['additions']) ?? 0,
    deletions: numberOf(pull['deletions']) ?? 0,
    changed_files: numberOf(pull['changed_files']) ?? 0,
  };
}

export function commentItem(comment: SourceReply): SentComment {
  return { ...writtenItem(comment), number: numberIn(comment['issue_url']) };
}

/** Undefined for one that is not submitted. */
export function reviewItem(review: SourceReply, number: number): SentReview | undefined {
  const state = wordIn(REVIEW_STATES, review['state']);
  const at = textOf(review['submitted_at']);
  if (state === null || at === null) return undefined;
  const updated = textOf(review['updated_at']) ?? at;
  const written = writtenItem({ ...review, created_at: at, updated_at: updated });
  return { ...written, number, state, commit_id: textOf(review['commit_id']) };
}

const SIDES = ['LEFT', 'RIGHT'] as const;

export function reviewCommentItem(comment: SourceReply): SentReviewComment {
  const commit = textOf(comment['commit_id']) ?? '';
  const line = (name: string) => numberOf(comment[name]);
  return {
    ...writtenItem(comment),
    number: numberIn(comment['pull_request_url']),
    review: numberOf(comment['pull_request_review_id']),
    in_reply_to: numberOf(comment['in_reply_to_id']),
    path: textOf(comment['path']) ?? '',
    subject_type: comment['subject_type'] === 'file' ? 'file' : 'line',
    diff_hunk: cut(textOf(comment['diff_hunk']) ?? '', MAX_BODY),
    side: wordIn(SIDES, comment['side']),
    line: line('line'),
    start_side: wordIn(SIDES, comment['start_side']),
    start_line: line('start_line'),
    position: line('position'),
    original_line: line('original_line'),
    original_start_line: line('original_start_line'),
    original_position: line('original_position'),
    commit_id: commit,
    original_commit_id: textOf(comment['original_commit_id']) ?? commit,
  };
}

function writtenItem(written: SourceReply): Omit<SentComment, 'number'> {
  return {
    source_id: idOf(written['id']),
    author: loginOf(written['user']),
    body: cut(textOf(written['body']) ?? '', MAX_BODY),
    ...timesOf(written),
  };
}

function timesOf(item: SourceReply): { created_at: string; updated_at: string } {
  const createdAt = textOf(item['created_at']) ?? '';
  return { created_at: createdAt, updated_at: textOf(item['updated_at']) ?? createdAt };
}

/** The last part of an address. */
function numberIn(url: unknown): number {
  return idOf(Number(/\/(\d+)$/.exec(textOf(url) ?? '')?.[1]));
}

/** 0 is refused by the server, which says where. */
function idOf(value: unknown): number {
  return numberOf(value) ?? 0;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}

/** PostgreSQL allows no NUL in text. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.replaceAll('\0', '') : null;
}

function loginOf(user: unknown): string | null {
  const login = textOf((user as SourceReply | null | undefined)?.['login']);
  return login === null || login === '' ? null : cut(login, MAX_LOGIN);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function wordIn<const Word extends string>(words: readonly Word[], value: unknown): Word | null {
  return words.find((word) => word === value) ?? null;
}

/** In characters, which may be two code units each. */
function cut<Text extends string | null>(text: Text, max: number): Text {
  if (text === null || text.length <= max) return text;
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('') as Text;
}
