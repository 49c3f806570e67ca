// What an import is: a file of keys on its way into a big segment, and how far it came.
import type { Initiator } from '../../../kernel/identity/identity.ts';
import type { ImportMode } from '../segment.ts';

/** From the first to `complete`, or to `stopped` where it cannot go on. */
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
  /** Once the file is checked, somebody has to let it through. */
  isWaiting: boolean;
  filename?: string;
  /** Of the file, in bytes. */
  size: number;
  /** Whether a heading gives the second column its meaning. */
  isTyped: boolean;
  takenBytes: number;
  /** In the file; known when it is checked. */
  keyCount: number;
  processedCount: number;
  /** Members that came, or went from one side to the other. */
  changedCount: number;
  removedCount: number;
  /** The key up to which members that are not in the file have been removed; that of the last one that is left. */
  removedTo?: string;
  /** Why it was stopped. */
  message?: string;
  /** Of whoever let it through. */
  comment?: string;
  /** In whose name the change is made. */
  doer: Initiator;
  createdAt: number;
}

/** What an import takes, as a file may name contexts of both sides. */
export const IMPORT_ACTIONS = ['updateIncluded', 'updateExcluded'] as const;

/** For good. */
export function isFinished({ status }: SegmentImport): boolean {
  return status === 'complete' || status === 'stopped';
}
