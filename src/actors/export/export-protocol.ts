// The messages between the main thread and the export thread.
import type { FailureDetails, FailureKind } from '../../kernel/failure.ts';
import type { ExportFormat } from './exporters.ts';
import type { ExportOptions } from './input.ts';
import type { Projection } from './project.ts';

export interface ExportTask {
  format: ExportFormat;
  options: ExportOptions;
  projection: Projection;
  /** Outlines are small items with the same columns: reading them is cheaper than reading the items. */
  hasOutlines: boolean;
}

/** Both are read as texts of several joined items (`item-texts.ts`). */
export type SourceName = 'items' | 'outlines';

/** Exports, and the sources that each of them reads, are identified by numbers. */
export type ToThread =
  | { export: number; verb: 'start'; task: ExportTask }
  /** Asks for the next chunk. */
  | { export: number; verb: 'next' }
  | { export: number; verb: 'stop' }
  /** The texts asked for; absent at the end of the source. */
  | { export: number; verb: 'texts'; reading: number; texts?: readonly string[] }
  /** Reading the source failed; the main thread keeps the error. */
  | { export: number; verb: 'broken'; reading: number };

export type FromThread =
  | { export: number; verb: 'chunk'; bytes: Uint8Array }
  | { export: number; verb: 'end' }
  | { export: number; verb: 'failed'; error: ThreadError }
  /** Asks for texts; the first message with a new number opens the source. */
  | { export: number; verb: 'read'; reading: number; source: SourceName }
  | { export: number; verb: 'leave'; reading: number };

/** An error on its way to the main thread; one without a kind is unexpected. */
export interface ThreadError {
  kind?: FailureKind;
  details?: Pick<FailureDetails, 'code' | 'fields'>;
  message: string;
  stack?: string | undefined;
}
