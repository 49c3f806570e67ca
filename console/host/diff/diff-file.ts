// A changed file as the host API lists it, and lines of it that are spoken about.
import type { ReactNode } from 'react';
import type { Call } from '../../api/call.ts';
import type { Hunk } from './patch.ts';

export interface DiffFile {
  filename: string;
  /** Of its content after the change; null where that is gone. */
  sha?: string | null;
  previous_filename?: string;
  status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed' | 'unchanged';
  additions: number;
  deletions: number;
  changes: number;
  /** Absent for binary files and very large changes. */
  patch?: string;
}

export type DiffMode = 'unified' | 'split';

/** `LEFT` is the line before the change, as the API names it. */
export interface LineSpot {
  path: string;
  side: 'LEFT' | 'RIGHT';
  line: number;
}

/** What is said about lines, drawn below them. */
export interface LineNotes {
  /** `hunk` is the part of the difference that the line is in. */
  at: (spot: LineSpot, hunk: Hunk) => ReactNode;
  /** Lines get a button then. */
  onAdd?: ((spot: LineSpot) => void) | undefined;
}

/** Files that the reader has ticked off. */
export interface ViewedFiles {
  has: (file: DiffFile) => boolean;
  toggle: (file: DiffFile) => void;
}

export interface DiffContext {
  mode: DiffMode;
  viewed?: ViewedFiles | undefined;
  notes?: LineNotes | undefined;
  /** The page of the file as it is after the change. */
  hrefOf?: ((file: DiffFile) => string | undefined) | undefined;
  /** The call that reads the bytes of the file before or after the change. */
  bytesOf?: ((file: DiffFile, side: LineSpot['side']) => Call | undefined) | undefined;
}

const IMAGE = /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp)$/i;

export function isImage({ filename }: Pick<DiffFile, 'filename'>): boolean {
  return IMAGE.test(filename);
}
