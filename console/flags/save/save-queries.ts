// What the save dialog reads, and how a change is sent.
import type { Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { invalidateTopics, useRead } from '../../api/read.ts';
import { previewCall, type PlannedChange } from './planned-change.ts';

export interface Sentence {
  sentence: string;
  /** Names what it is about: `rules/…`, `fallthrough`. */
  part: string;
}

export interface Guard {
  /** Where something else is served or configured. */
  environments: string[];
  requiresComment: boolean;
  requiresConfirmation: boolean;
  isCritical: boolean;
  requiresApproval: boolean;
  mayBypassApproval: boolean;
  mayApply: boolean;
  /** Why it may not be applied. */
  reason?: string;
}

export interface Preview {
  version: number;
  sentences: Sentence[];
  /** The members that change. */
  before: Readonly<Record<string, unknown>>;
  /** Null where the flag is deleted. */
  after: Readonly<Record<string, unknown>> | null;
  guard: Guard;
  /** Planned changes that could no longer be made. */
  conflicts?: { id: string; kind: string; reason: string }[];
  /** Flags that use the segment, or need the flag. */
  touches?: { flag: string; name: string; environments: string[] }[];
  touchesTotal?: number;
}

export function usePreview(change: PlannedChange) {
  return useRead<Preview>(
    { call: previewCall(change), topics: [change.resource.kind] },
    { keepsPrevious: true },
  );
}

export async function readPreview(change: PlannedChange): Promise<Preview> {
  return (await send<Preview>(previewCall(change))).body;
}

/** What was read of flags, and of what happened to them, is read anew. */
export async function sendChange<Body>(call: Call): Promise<Body> {
  const { body } = await send<Body>(call);
  invalidateTopics(['flag', 'segment', 'activity', 'approval-request']);
  return body;
}

export interface Reviewer {
  id: string;
  email: string;
  firstName?: string;
  lastName?: string;
}

export function useReviewers(words: string) {
  const query = { q: words, limit: 20 };
  return useRead<{ items: Reviewer[] }>(
    { call: { api: 'signalbox', path: '/members', query }, topics: ['member'] },
    { keepsPrevious: true },
  );
}
