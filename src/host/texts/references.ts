// Finds references in texts: issues, mentions, commits, and words that close issues. In linear time, because anybody may write texts.
import { withoutCode } from './without-code.ts';

/** `owner/name` as it is written; absent for the repository that the text belongs to. */
interface RepositoryMark {
  repository?: string;
}

export type Mark = { start: number; end: number } & (
  | ({ kind: 'issue'; number: number } & RepositoryMark)
  | ({ kind: 'commit'; id: string } & RepositoryMark)
  | { kind: 'mention'; login: string }
);

export interface IssueReference extends RepositoryMark {
  number: number;
  /** Whether a word such as `fixes` stands before it. */
  isClosing: boolean;
}

export interface TextReferences {
  issues: IssueReference[];
  /** As they are written. */
  mentions: string[];
  commits: ({ id: string } & RepositoryMark)[];
}

/** Further ones are no references: a text that names more people or issues is written by a program, or by an enemy. */
const MAX_ISSUES = 100;
const MAX_MENTIONS = 50;
const MAX_COMMITS = 100;

/** Once for each issue, account and commit, in the order of the text. Code and comments of HTML have none. */
export function parseReferences(text: string): TextReferences {
  const issues = new Map<string, IssueReference>();
  const mentions = new Map<string, string>();
  const commits = new Map<string, TextReferences['commits'][number]>();
  const shown = withoutCode(text);
  for (const mark of findMarks(shown)) {
    if (mark.kind === 'mention') addUpTo(MAX_MENTIONS, mentions, mark.login.toLowerCase(), mark.login);
    else {
      const { repository } = mark;
      const within = { ...(repository !== undefined && { repository }) };
      const place = (repository ?? '').toLowerCase();
      if (mark.kind === 'commit')
        addUpTo(MAX_COMMITS, commits, `${place}@${mark.id}`, { ...within, id: mark.id });
      else {
        const key = `${place}#${mark.number}`;
        const isClosing = issues.get(key)?.isClosing === true || isClosed(shown, mark.start);
        addUpTo(MAX_ISSUES, issues, key, { ...within, number: mark.number, isClosing });
      }
    }
  }
  return { issues: [...issues.values()], mentions: [...mentions.values()], commits: [...commits.values()] };
}

function addUpTo<Value>(max: number, found: Map<string, Value>, key: string, value: Value): void {
  if (found.size < max || found.has(key)) found.set(key, value);
}

const CLOSING = /(?:^|[^\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s{1,2}$/i;
/** The longest of these words with a colon, two spaces, and the character before it. */
const CLOSING_LENGTH = 12;

function isClosed(text: string, start: number): boolean {
  return CLOSING.test(text.slice(Math.max(0, start - CLOSING_LENGTH), start));
}

/** What may begin a reference. The bounds of the last part keep it from reading a long word more than once. */
const TRIGGER = /[#@]|\b[0-9a-f]{7,40}\b/g;
const ISSUE_NUMBER = /[1-9]\d{0,9}(?!\w)/y;
const LOGIN = /[a-zA-Z0-9](?:-?[a-zA-Z0-9]){0,38}(?![\w/@-]|\.\w)/y;
const COMMIT_ID = /[0-9a-f]{7,40}(?!\w)/y;
const NO_ISSUE_AFTER = /[\w&/#@.-]/;
const NO_MENTION_AFTER = /[\w`/@.+-]/;
const NO_COMMIT_AFTER = /[\w/#@.=&%+$-]/;
const NO_COMMIT_BEFORE = /-|\.\w|\/|@/y;

/** In the order of the text, without overlaps. */
export function findMarks(text: string): Mark[] {
  const marks: Mark[] = [];
  const trigger = new RegExp(TRIGGER);
  for (let found = trigger.exec(text); found !== null; found = trigger.exec(text)) {
    const mark = markAt(text, found.index, found[0]);
    if (mark === undefined) continue;
    marks.push(mark);
    trigger.lastIndex = mark.end;
  }
  return marks;
}

function markAt(text: string, at: number, trigger: string): Mark | undefined {
  const before = text[at - 1] ?? ' ';
  if (trigger === '#') {
    const number = matchAt(ISSUE_NUMBER, text, at + 1);
    if (number === undefined) return undefined;
    const end = at + 1 + number.length;
    if (!NO_ISSUE_AFTER.test(before)) return { kind: 'issue', start: at, end, number: Number(number) };
    const place = repositoryBefore(text, at);
    return place && { kind: 'issue', end, number: Number(number), ...place };
  }
  if (trigger === '@') {
    if (!NO_MENTION_AFTER.test(before)) {
      const login = matchAt(LOGIN, text, at + 1);
      return login === undefined
        ? undefined
        : { kind: 'mention', start: at, end: at + 1 + login.length, login };
    }
    const id = matchAt(COMMIT_ID, text, at + 1);
    const place = id === undefined ? undefined : repositoryBefore(text, at);
    return place && { kind: 'commit', end: at + 1 + id!.length, id: id!, ...place };
  }
  const end = at + trigger.length;
  if (NO_COMMIT_AFTER.test(before) || matchAt(NO_COMMIT_BEFORE, text, end) !== undefined) return undefined;
  return isLikeCommit(trigger) ? { kind: 'commit', start: at, end, id: trigger } : undefined;
}

/** Shorter ones have letters and digits: words and numbers are no commits. */
function isLikeCommit(id: string): boolean {
  return id.length === 40 || (/\d/.test(id) && /[a-f]/.test(id));
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

const MAX_NAME = 100;

/** `owner/name` that ends there, and stands by itself. */
function repositoryBefore(text: string, end: number): { start: number; repository: string } | undefined {
  const slash = nameStart(text, end);
  if (slash === end || text[slash - 1] !== '/') return undefined;
  const start = nameStart(text, slash - 1);
  if (start === slash - 1 || !/[a-zA-Z0-9]/.test(text[start]!)) return undefined;
  if (/[\w/#@.&:-]/.test(text[start - 1] ?? ' ')) return undefined;
  return { start, repository: text.slice(start, end) };
}

/** Looks no further than a name may be long. */
function nameStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < MAX_NAME && /[\w.-]/.test(text[start - 1]!)) start -= 1;
  return start;
}
