// The messages between the main thread and the export thread.
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

/** The sources that an export reads are identified by numbers. */
export type ToThread =
  /** Asks for the next chunk. */
  | { verb: 'next' }
  /** The texts asked for; absent at the end of the source. */
  | { verb: 'texts'; reading: number; texts?: readonly string[] }
  /** Reading the source failed; the main thread keeps the error. */
  | { verb: 'broken'; reading: number };

export type FromThread =
  | { verb: 'chunk'; bytes: Uint8Array<ArrayBuffer> }
  | { verb: 'end' }
  /** Asks for texts; the first message with a new number opens the source. */
  | { verb: 'read'; reading: number; source: SourceName }
  | { verb: 'leave'; reading: number };
