// The type of imports: a file of keys for a big segment, and the progress of the import.
import type { Initiator } from '../../../kernel/identity/identity.ts';
import type { ImportMode } from '../segment.ts';

/** Ends with `complete`, or with `stopped` on an error. */
export const IMPORT_STATUSES = [
  'preparing',
  'pending_approval',
  'in_progress',
  'complete',
  'stopped',
] as const;

export interface SegmentImport {
  id: string;
  segmentId: string;
  /** Counts the imports of a segment; members are marked with it. */
  number: number;
  mode: ImportMode;
  status: (typeof IMPORT_STATUSES)[number];
  /** Whether the import needs an approval after the file is checked. */
  isWaiting: boolean;
  filename?: string;
  /** Of the file, in bytes. */
  size: number;
  /** Whether a heading gives the second column its meaning. */
  isTyped: boolean;
  takenBytes: number;
  /** Keys in the file; known after the check. */
  keyCount: number;
  processedCount: number;
  /** Members that were added, or moved between included and excluded. */
  changedCount: number;
  removedCount: number;
  /** The key up to which members that are not in the file have been removed. */
  removedTo?: string;
  /** Why it was stopped. */
  message?: string;
  /** The comment of the caller who approved it. */
  comment?: string;
  /** The member or token that the change is attributed to. */
  doer: Initiator;
  createdAt: number;
}

/** The permissions that an import requires: a file may both include and exclude contexts. */
export const IMPORT_ACTIONS = ['updateIncluded', 'updateExcluded'] as const;

/** Complete or stopped; neither changes again. */
export function isImportFinished({ status }: SegmentImport): boolean {
  return status === 'complete' || status === 'stopped';
}
