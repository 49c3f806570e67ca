// What the pages of issues read and change. Texts come as Markdown and as safe HTML.
import type { Call } from '../../api/call.ts';
import { useChange, useRead, type Read } from '../../api/read.ts';
import { useListPages } from '../../lib/list-pages.ts';
import type { RepositoryPlace } from '../place.ts';
import { nextPage, repositoryCall, TOPICS } from '../queries.ts';
import { useGrowingList } from './growing-list.ts';
import type { Issue, IssueComment, Label, Milestone, Person, ReactionName } from './issue.ts';
import type { TimelineItem } from './timeline-item.ts';

const PAGE = 50;
const FULL = { accept: 'application/vnd.github.full+json' };

export function withTexts(call: Call): Call {
  return { ...call, headers: FULL };
}

/** The filters of a list, as its address has them. */
export interface IssueFilters {
  state: string;
  labels?: string | undefined;
  milestone?: string | undefined;
  assignee?: string | undefined;
  creator?: string | undefined;
  /** With `-` before it for descending. */
  sort: string;
}

function sorting(sort: string) {
  return { sort: sort.replace(/^-/, ''), direction: sort.startsWith('-') ? 'desc' : 'asc' };
}

const idOf = ({ id }: Issue) => String(id);

function useIssuePages(call: Call) {
  return useListPages<Issue[], Issue>({
    call,
    topics: TOPICS,
    first: 1,
    pageQuery: (page) => ({ per_page: PAGE, page }),
    toPage: (rows, page, headers) => ({ rows, next: nextPage(page, headers) }),
    idOf,
  });
}

export function useIssues(place: RepositoryPlace, arePulls: boolean, { sort, ...filters }: IssueFilters) {
  return useIssuePages(repositoryCall(place, '/issues', { pulls: arePulls, ...filters, ...sorting(sort) }));
}

export interface OwnFilters {
  /** What the caller has to do with them: `assigned`, `created`, `mentioned`, `all`. */
  filter: string;
  state: string;
  labels?: string | undefined;
  sort: string;
}

/** Of all repositories. */
export function useOwnIssues(arePulls: boolean, { sort, ...filters }: OwnFilters) {
  return useIssuePages({
    api: 'host',
    path: '/issues',
    query: { pulls: arePulls, ...filters, ...sorting(sort) },
  });
}

function issueCall(place: RepositoryPlace, number: number, rest = ''): Call {
  return repositoryCall(place, `/issues/${number}${rest}`);
}

export function issueRead(place: RepositoryPlace, number: number): Read {
  return { call: withTexts(issueCall(place, number)), topics: TOPICS };
}

export function useIssue(place: RepositoryPlace, number: number) {
  return useRead<Issue>(issueRead(place, number));
}

export function useTimeline(place: RepositoryPlace, number: number) {
  const call = withTexts(issueCall(place, number, '/timeline'));
  return useGrowingList<TimelineItem>({ call, topics: TOPICS });
}

export function useLabels(place: RepositoryPlace, isEnabled = true) {
  const call = repositoryCall(place, '/labels');
  return useGrowingList<Label>({ call, topics: TOPICS }, { isEnabled });
}

export function useMilestones(place: RepositoryPlace, state: string, isEnabled = true) {
  const call = repositoryCall(place, '/milestones', { state });
  return useGrowingList<Milestone>({ call, topics: TOPICS }, { isEnabled });
}

/** Those who may be assigned and asked for a review. */
export function usePeople(place: RepositoryPlace, isEnabled = true) {
  const call = repositoryCall(place, '/assignees');
  return useGrowingList<Person>({ call, topics: TOPICS }, { isEnabled });
}

export interface NewIssue {
  title: string;
  body?: string;
  labels?: readonly string[];
  assignees?: readonly string[];
  milestone?: number;
}

export function newIssueCall(place: RepositoryPlace, body: NewIssue): Call {
  return { ...repositoryCall(place, '/issues'), method: 'POST', body };
}

export function useCreateIssue(place: RepositoryPlace) {
  return useChange<NewIssue, Issue>((body) => newIssueCall(place, body), TOPICS);
}

export interface IssueEdit {
  title?: string;
  body?: string;
  state?: 'open' | 'closed';
  state_reason?: string | null;
  labels?: readonly string[];
  assignees?: readonly string[];
  milestone?: number | null;
}

export function useEditIssue(place: RepositoryPlace, number: number) {
  return useChange<IssueEdit, Issue>(
    (body) => ({ ...issueCall(place, number), method: 'PATCH', body }),
    TOPICS,
  );
}

/** A reason, or nothing for no reason; null unlocks. */
export function useLock(place: RepositoryPlace, number: number) {
  return useChange<{ reason?: string } | null>(
    (lock) =>
      lock === null
        ? { ...issueCall(place, number, '/lock'), method: 'DELETE' }
        : {
            ...issueCall(place, number, '/lock'),
            method: 'PUT',
            body: lock.reason === undefined ? {} : { lock_reason: lock.reason },
          },
    TOPICS,
  );
}

export function newCommentCall(place: RepositoryPlace, number: number, body: string): Call {
  return { ...issueCall(place, number, '/comments'), method: 'POST', body: { body } };
}

export function useAddComment(place: RepositoryPlace, number: number) {
  return useChange<string, IssueComment>((body) => newCommentCall(place, number, body), TOPICS);
}

/** The path of a thing that can be reacted to, below the repository: `/issues/5`, `/issues/comments/7`, `/pulls/comments/7`. */
export type SubjectPath = string;

/** `text` is the call that reads it; the text null deletes it. */
export function useEditText(text: Call, topics: readonly string[]) {
  return useChange<string | null>(
    (body) => (body === null ? { ...text, method: 'DELETE' } : { ...text, method: 'PATCH', body: { body } }),
    topics,
  );
}

interface Reaction {
  id: number;
  user: Person | null;
  content: ReactionName;
}

/** Read when somebody opens the list of who has reacted. */
export function useReactions(place: RepositoryPlace, subject: SubjectPath, isEnabled: boolean) {
  const call = repositoryCall(place, `${subject}/reactions`);
  return useGrowingList<Reaction>({ call, topics: TOPICS }, { isEnabled });
}

/** By its name it is added, by its number taken away. */
export function useReact(place: RepositoryPlace, subject: SubjectPath) {
  return useChange<ReactionName | number>(
    (which) =>
      typeof which === 'number'
        ? { ...repositoryCall(place, `${subject}/reactions/${which}`), method: 'DELETE' }
        : { ...repositoryCall(place, `${subject}/reactions`), method: 'POST', body: { content: which } },
    TOPICS,
  );
}

/** Markdown as the server would show it. */
export function usePreview(place: RepositoryPlace | undefined, text: string, isEnabled: boolean) {
  const context = place && { context: `${place.owner}/${place.repo}` };
  const body = { text, mode: 'gfm', ...context };
  return useRead<string>({ call: { api: 'host', method: 'POST', path: '/markdown', body } }, { isEnabled });
}
