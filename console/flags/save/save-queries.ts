// What the save dialog reads, and how a change is sent.
import type { Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { invalidateTopics, useRead } from '../../api/read.ts';
import type { AccountMember, ChangePreview } from '../../api/types/signalbox.ts';
import { previewCall, type PlannedChange } from './planned-change.ts';

export function usePreview(change: PlannedChange) {
  return useRead<ChangePreview>(
    { call: previewCall(change), topics: [change.resource.kind] },
    { keepsPrevious: true },
  );
}

export async function readPreview(change: PlannedChange): Promise<ChangePreview> {
  return (await send<ChangePreview>(previewCall(change))).body;
}

/** What was read of flags, and of what happened to them, is read anew. */
export async function sendChange<Body>(call: Call): Promise<Body> {
  const { body } = await send<Body>(call);
  invalidateTopics(['flag', 'segment', 'activity', 'approval-request']);
  return body;
}

export type Reviewer = AccountMember;

export function useReviewers(words: string) {
  const query = { q: words, limit: 20 };
  return useRead<{ items: Reviewer[] }>(
    { call: { api: 'signalbox', path: '/members', query }, topics: ['member'] },
    { keepsPrevious: true },
  );
}
