// What the pages of pull requests read and change.
import { useInfiniteQuery, useMutation, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { path, type Call } from '../../api/call.ts';
import type { ApiError } from '../../api/error.ts';
import { invalidateTopics, keyOf, useChange, useRead, type Read } from '../../api/read.ts';
import type { DiffFile } from '../diff/diff-file.ts';
import { useGrowingList, type GrowingOptions } from '../issues/growing-list.ts';
import { withTexts } from '../issues/issue-queries.ts';
import type { RepositoryPlace } from '../place.ts';
import { repositoryCall, TOPICS } from '../queries.ts';
import type { Commit } from '../repository.ts';
import { graphqlCall, sendGraphql } from './graphql.ts';
import {
  threadsOf,
  type CheckStatus,
  type MergeCheck,
  type MergeMethod,
  type Pull,
  type Review,
  type ReviewComment,
  type Thread,
  type ThreadFacts,
} from './pull.ts';

/** While the server finds out whether branches can be merged. */
const UNKNOWN_MS = 1500;

export interface PullPlace extends RepositoryPlace {
  number: number;
}

function pullCall(place: PullPlace, rest = '', query?: Call['query']): Call {
  return repositoryCall(place, `/pulls/${place.number}${rest}`, query);
}

function pullRead(place: PullPlace): Read {
  return { call: withTexts(pullCall(place)), topics: TOPICS };
}

export function usePull(place: PullPlace) {
  return useRead<Pull>(pullRead(place));
}

export function usePullFiles(place: PullPlace, options: GrowingOptions) {
  return useGrowingList<DiffFile>({ call: pullCall(place, '/files'), topics: TOPICS }, options);
}

export function usePullCommits(place: PullPlace) {
  return useGrowingList<Commit>({ call: pullCall(place, '/commits'), topics: TOPICS });
}

export function useReviews(place: PullPlace) {
  return useGrowingList<Review>({ call: pullCall(place, '/reviews'), topics: TOPICS }, { isWhole: true });
}

export function useStatuses(place: PullPlace, sha: string) {
  const call = repositoryCall(place, `/commits/${encodeURIComponent(sha)}/status`, { per_page: 100 });
  return useRead<{ state: string; statuses: CheckStatus[]; total_count: number }>({ call, topics: TOPICS });
}

export function useMergeCheck(place: PullPlace, method: MergeMethod | undefined, isUnknown: boolean) {
  const { owner, repo, number } = place;
  const call: Call = {
    api: 'signalbox',
    path: path`/repos/${owner}/${repo}/pulls/${String(number)}/merge-check`,
    query: { method },
  };
  return useRead<MergeCheck>(
    { call, topics: TOPICS },
    { keepsPrevious: true, everyMs: isUnknown ? UNKNOWN_MS : undefined },
  );
}

interface ThreadPage {
  repository: {
    pullRequest: {
      reviewThreads: { nodes: ThreadFacts[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
    } | null;
  } | null;
}

const THREADS = `query ($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) {
      nodes { id isResolved isOutdated resolvedBy { login } viewerCanResolve viewerCanUnresolve
        comments(first: 1) { nodes { databaseId } } }
      pageInfo { hasNextPage endCursor } } } } }`;

/** Which conversations are resolved. */
function useThreadFacts({ owner, repo, number }: PullPlace) {
  const { data, error, hasNextPage, isFetchingNextPage, isError, fetchNextPage } = useInfiniteQuery<
    ThreadPage,
    ApiError,
    InfiniteData<ThreadPage, string | undefined>
  >({
    queryKey: [...keyOf(graphqlCall(THREADS, { owner, repo, number })), 'threads'],
    queryFn: ({ pageParam, signal }) =>
      sendGraphql<ThreadPage>(
        graphqlCall(THREADS, { owner, repo, number, after: pageParam ?? null }),
        signal,
      ),
    initialPageParam: undefined,
    getNextPageParam: (last) => {
      const info = last.repository?.pullRequest?.reviewThreads.pageInfo;
      return info?.hasNextPage === true ? (info.endCursor ?? undefined) : undefined;
    },
    meta: { topics: TOPICS },
  });
  const mayReadOn = hasNextPage && !isFetchingNextPage && !isError;
  useEffect(() => {
    if (mayReadOn) void fetchNextPage();
  }, [mayReadOn, fetchNextPage]);
  const facts = useMemo(
    () => data?.pages.flatMap((page) => page.repository?.pullRequest?.reviewThreads.nodes ?? []),
    [data],
  );
  return { facts, error };
}

/** The conversations on lines, with whether they are resolved once that is known. */
export function useThreads(place: PullPlace): { threads: Thread[]; isKnown: boolean } {
  const call = withTexts(pullCall(place, '/comments'));
  const { rows } = useGrowingList<ReviewComment>({ call, topics: TOPICS }, { isWhole: true });
  const { facts, error } = useThreadFacts(place);
  const threads = useMemo(() => threadsOf(rows ?? [], facts ?? []), [rows, facts]);
  return { threads, isKnown: rows !== undefined && (facts !== undefined || error !== null) };
}

const CHANGES = {
  resolve: 'mutation ($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { id } } }',
  unresolve: 'mutation ($id: ID!) { unresolveReviewThread(input: {threadId: $id}) { thread { id } } }',
  ready:
    'mutation ($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { id } } }',
  draft:
    'mutation ($id: ID!) { convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { id } } }',
} as const;

/** Of the thread or the pull request with this node id. */
export function useGraphqlChange(kind: keyof typeof CHANGES) {
  return useMutation<unknown, ApiError, string>({
    mutationFn: (id) => sendGraphql(graphqlCall(CHANGES[kind], { id })),
    onSuccess: () => invalidateTopics(TOPICS),
  });
}

export function useEditPull(place: PullPlace) {
  return useChange<{ state?: 'open' | 'closed'; base?: string }, Pull>(
    (body) => ({ ...pullCall(place), method: 'PATCH', body }),
    TOPICS,
  );
}

export interface MergeOrder {
  merge_method: MergeMethod;
  sha: string;
  commit_title?: string;
  commit_message?: string;
}

export function mergeCall(place: PullPlace, body: MergeOrder): Call {
  return { ...pullCall(place, '/merge'), method: 'PUT', body };
}

export function useMerge(place: PullPlace) {
  return useChange<MergeOrder>((body) => mergeCall(place, body), TOPICS);
}

export function useUpdateBranch(place: PullPlace) {
  return useChange<string>(
    (sha) => ({ ...pullCall(place, '/update-branch'), method: 'PUT', body: { expected_head_sha: sha } }),
    TOPICS,
  );
}

export interface DraftComment {
  path: string;
  side: 'LEFT' | 'RIGHT';
  line: number;
  start_line?: number | undefined;
  body: string;
}

export interface ReviewOrder {
  commit_id: string;
  event: 'COMMENT' | 'APPROVE' | 'REQUEST_CHANGES';
  body?: string;
  comments: readonly DraftComment[];
}

export function reviewCall(place: PullPlace, body: ReviewOrder): Call {
  return { ...pullCall(place, '/reviews'), method: 'POST', body };
}

export function useSubmitReview(place: PullPlace) {
  return useChange<ReviewOrder>((body) => reviewCall(place, body), TOPICS);
}

export function useReply(place: PullPlace, commentId: number) {
  return useChange<string>(
    (body) => ({ ...pullCall(place, `/comments/${commentId}/replies`), method: 'POST', body: { body } }),
    TOPICS,
  );
}

export function useReviewers(place: PullPlace) {
  return useChange<{ login: string; isAsked: boolean }>(
    ({ login, isAsked }) => ({
      ...pullCall(place, '/requested_reviewers'),
      method: isAsked ? 'DELETE' : 'POST',
      body: { reviewers: [login] },
    }),
    TOPICS,
  );
}

export function useDismissReview(place: PullPlace, reviewId: number) {
  return useChange<string>(
    (message) => ({
      ...pullCall(place, `/reviews/${reviewId}/dismissals`),
      method: 'PUT',
      body: { message },
    }),
    TOPICS,
  );
}

export interface NewPull {
  title: string;
  head: string;
  base: string;
  body?: string;
  draft?: boolean;
}

export function newPullCall(place: RepositoryPlace, body: NewPull): Call {
  return { ...repositoryCall(place, '/pulls'), method: 'POST', body };
}

export function useCreatePull(place: RepositoryPlace) {
  return useChange<NewPull, Pull>((body) => newPullCall(place, body), TOPICS);
}
