// What the main thread and the export thread say to each other.
import type { FailureDetails, FailureKind } from '../failure.ts';
import type { ExportFormat } from './exporters.ts';
import type { ExportOptions } from './input.ts';
import type { Projection } from './project.ts';

export interface ExportTask {
  format: ExportFormat;
  options: ExportOptions;
  projection: Projection;
  /** Whether there are outlines, from which a table learns its columns at less cost than from the items. */
  hasOutlines: boolean;
}

/** Both are gone through as texts of several items joined (`item-texts.ts`). */
export type SourceName = 'items' | 'outlines';

/** Exports, and what each of them reads, are named by numbers. */
export type ToThread =
  | { export: number; verb: 'start'; task: ExportTask }
  /** The next chunk is wanted. */
  | { export: number; verb: 'next' }
  | { export: number; verb: 'stop' }
  /** What was asked for; without texts there are no more. */
  | { export: number; verb: 'texts'; reading: number; texts?: readonly string[] }
  /** Reading has failed, and why is the main thread's to know. */
  | { export: number; verb: 'broken'; reading: number };

export type FromThread =
  | { export: number; verb: 'chunk'; bytes: Uint8Array }
  | { export: number; verb: 'end' }
  | { export: number; verb: 'failed'; error: ThreadError }
  /** Texts are wanted; the first time a reading is named it begins. */
  | { export: number; verb: 'read'; reading: number; source: SourceName }
  | { export: number; verb: 'leave'; reading: number };

/** An error on its way to the main thread; without a kind it is none that anybody expected. */
export interface ThreadError {
  kind?: FailureKind;
  details?: Pick<FailureDetails, 'code' | 'fields'>;
  message: string;
  stack?: string | undefined;
}
