// What the pages of approvals read and change.
import { path, type Call } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { offsetPage, useListPages } from '../../lib/list-pages.ts';
import type { Approval } from './approval.ts';

export const TABS = ['review', 'apply', 'mine', 'done'] as const;
export type ApprovalTab = (typeof TABS)[number];

const PAGE = 25;
const TOPICS = ['flag', 'approval-request'];

/** Of the flags API. */
function filterOf(tab: ApprovalTab, ownId: string, isAsked: boolean): string {
  const me = JSON.stringify(ownId);
  const filters: Record<ApprovalTab, string> = {
    review:
      'status anyOf ["pending","scheduled"],reviewStatus anyOf ["pending"]' +
      (isAsked ? `,notifyMemberIds anyOf [${me}]` : ''),
    apply: 'status anyOf ["pending"],reviewStatus anyOf ["approved"]',
    mine: `requestorId equals ${me}`,
    done: 'status anyOf ["completed","failed"]|reviewStatus anyOf ["declined"]',
  };
  return filters[tab];
}

interface Items {
  items: Approval[];
  totalCount: number;
}

const idOf = ({ _id }: Approval) => _id;

export function useApprovals(tab: ApprovalTab, ownId: string | undefined, isAsked: boolean) {
  return useListPages<Items, Approval>({
    call: {
      api: 'flags',
      path: '/approval-requests',
      query: { filter: filterOf(tab, ownId ?? '', isAsked) },
    },
    topics: TOPICS,
    isEnabled: ownId !== undefined,
    first: 0,
    pageQuery: (offset) => ({ limit: PAGE, offset }),
    toPage: ({ items, totalCount }, offset) => offsetPage(items, totalCount, offset),
    idOf,
  });
}

export function useApproval(id: string) {
  return useRead<Approval>({
    call: { api: 'flags', path: path`/approval-requests/${id}` },
    topics: TOPICS,
  });
}

const CHANGED = ['flag', 'approval-request', 'activity', 'attention'];

export interface ReviewPost {
  kind: 'approve' | 'decline' | 'comment';
  comment?: string;
}

export function reviewCall(id: string, body: ReviewPost): Call {
  return { api: 'flags', method: 'POST', path: path`/approval-requests/${id}/reviews`, body };
}

export function useReview(id: string) {
  return useChange<ReviewPost, Approval>((body) => reviewCall(id, body), CHANGED);
}

export function useApply(id: string) {
  return useChange<string, Approval>(
    (comment) => ({
      api: 'flags',
      method: 'POST',
      path: path`/approval-requests/${id}/apply`,
      body: comment === '' ? {} : { comment },
    }),
    CHANGED,
  );
}

export function deleteCall(id: string): Call {
  return { api: 'flags', method: 'DELETE', path: path`/approval-requests/${id}` };
}

export function useDeleteApproval(id: string) {
  return useChange<void>(() => deleteCall(id), CHANGED);
}
