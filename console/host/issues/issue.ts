// Issues, and what pull requests share with them, as the host API has them.

export interface Person {
  login: string;
}

export interface Label {
  id: number;
  name: string;
  /** Six hexadecimal digits. */
  color: string;
  description: string | null;
}

export interface Milestone {
  number: number;
  title: string;
  description: string | null;
  state: 'open' | 'closed';
  due_on: string | null;
  open_issues: number;
  closed_issues: number;
}

export const REACTIONS = {
  '+1': '👍',
  '-1': '👎',
  laugh: '😄',
  hooray: '🎉',
  confused: '😕',
  heart: '❤️',
  rocket: '🚀',
  eyes: '👀',
} as const;

export type ReactionName = keyof typeof REACTIONS;
export type ReactionCounts = Partial<Record<ReactionName, number>>;

/** A text that somebody wrote, as Markdown and as safe HTML. */
export interface Written {
  body?: string | null;
  body_html?: string;
}

export interface Issue extends Written {
  id: number;
  node_id: string;
  number: number;
  title: string;
  state: 'open' | 'closed';
  state_reason?: string | null;
  user: Person | null;
  labels: Label[];
  assignees: Person[];
  milestone: Milestone | null;
  locked: boolean;
  active_lock_reason?: string | null;
  comments: number;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  draft?: boolean;
  /** Where it is a pull request. */
  pull_request?: { merged_at?: string | null };
  reactions?: ReactionCounts;
  /** In lists of several repositories. */
  repository?: { full_name: string; name: string; owner: Person };
}

export interface IssueComment extends Written {
  id: number;
  user: Person | null;
  created_at: string;
  updated_at: string;
  reactions?: ReactionCounts;
}

/** What became of it, in one word. */
export type IssueOutcome = 'open' | 'draft' | 'closed' | 'not_planned' | 'duplicate' | 'merged';

export function outcomeOf({ state, state_reason: reason, draft, pull_request: pull }: Issue): IssueOutcome {
  if (typeof pull?.merged_at === 'string') return 'merged';
  if (state === 'open') return draft === true ? 'draft' : 'open';
  return reason === 'not_planned' || reason === 'duplicate' ? reason : 'closed';
}

/** Everybody who is gone. */
const GHOST = 'ghost';

export function loginOf(person: Person | null | undefined): string {
  return person?.login ?? GHOST;
}
