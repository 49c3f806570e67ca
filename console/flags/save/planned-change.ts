// A change before it is made: instructions for a flag or a segment, and the calls that preview, make, schedule or propose it.
import { path, type Call } from '../../api/call.ts';
import type { Instruction } from './instruction.ts';

export interface PlannedChange {
  project: string;
  /** Its key; absent where the change is about the flag as a whole. */
  environment?: string;
  resource: { kind: 'flag' | 'segment'; key: string; name: string };
  instructions: readonly Instruction[];
  /** Of the flag or the segment, as it was read. */
  version: number;
  /** The part of it that the instructions are about, as it was read; shows what others changed since. */
  base?: unknown;
  /** The same as the change would make it. */
  wanted?: unknown;
  /** A part of it in words, from its JSON; the JSON itself is shown where there are none. */
  describe?: (part: string, value: unknown) => string | undefined;
  /** What changes, in more words than the sentences of the server have. */
  details?: readonly ChangeDetail[];
}

export interface ChangeDetail {
  /** What it is about: "Rule 2". */
  head: string;
  before?: string;
  after?: string;
}

const SEMANTIC_PATCH = 'application/json; domain-model=launchdarkly.semanticpatch';

export interface PatchOptions {
  comment?: string;
  /** Even if a planned change can then no longer be made. */
  ignoreConflicts?: boolean;
}

/** Refused with 409 where the version is another one now. */
export function patchCall(change: PlannedChange, options: PatchOptions = {}): Call {
  const { comment = '', ignoreConflicts = false } = options;
  const { project, environment, resource, instructions, version } = change;
  return {
    api: 'flags',
    method: 'PATCH',
    path:
      resource.kind === 'flag'
        ? path`/flags/${project}/${resource.key}`
        : path`/segments/${project}/${environment ?? ''}/${resource.key}`,
    ...(ignoreConflicts && { query: { ignoreConflicts } }),
    contentType: SEMANTIC_PATCH,
    headers: { 'if-match': `"${version}"` },
    body: {
      ...(environment !== undefined && resource.kind === 'flag' && { environmentKey: environment }),
      ...(comment !== '' && { comment }),
      instructions,
    },
  };
}

/** What the change would do; nothing is written. */
export function previewCall({ project, environment, resource, instructions }: PlannedChange): Call {
  return resource.kind === 'flag'
    ? {
        api: 'signalbox',
        method: 'POST',
        path: path`/projects/${project}/flags/${resource.key}/preview`,
        body: { ...(environment !== undefined && { environmentKey: environment }), instructions },
      }
    : {
        api: 'signalbox',
        method: 'POST',
        path: path`/projects/${project}/environments/${environment ?? ''}/segments/${resource.key}/preview`,
        body: { instructions },
      };
}

/** Only what is about a flag in one environment can be scheduled or proposed. */
export function canWait({ environment, resource }: PlannedChange): boolean {
  return environment !== undefined && resource.kind === 'flag';
}

export function scheduleCall(change: PlannedChange, executionDate: number, comment: string): Call {
  return {
    api: 'flags',
    method: 'POST',
    path: `${flagInEnvironment(change)}/scheduled-changes`,
    body: { executionDate, instructions: change.instructions, ...(comment !== '' && { comment }) },
  };
}

export interface ApprovalWish {
  description: string;
  comment: string;
  reviewers: readonly string[];
}

export function approvalCall(change: PlannedChange, wish: ApprovalWish): Call {
  const { description, comment, reviewers } = wish;
  return {
    api: 'flags',
    method: 'POST',
    path: `${flagInEnvironment(change)}/approval-requests`,
    body: {
      description,
      instructions: change.instructions,
      ...(comment !== '' && { comment }),
      ...(reviewers.length > 0 && { notifyMemberIds: reviewers }),
    },
  };
}

function flagInEnvironment({ project, environment = '', resource }: PlannedChange): string {
  return path`/projects/${project}/flags/${resource.key}/environments/${environment}`;
}
