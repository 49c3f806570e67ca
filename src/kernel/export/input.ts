// What every exporter takes: items in batches, gone through once or twice, and how the reader wants them.
import { Failure } from '../failure.ts';
import { MAX_DEPTH, type JsonObject } from '../patch/json-value.ts';

export type Item = JsonObject;

/**
 * Each call goes through the batches anew. Tables are gone through twice, for their columns and then for their rows,
 * so that no item is kept: every call must give the same items, also when some are added in the meantime.
 */
export type ExportSource<T = Item> = () => AsyncIterable<readonly T[]>;

/** Each option counts for the formats that know it, and is nothing to the others. */
export interface ExportOptions {
  /** A byte order mark before the text. CSV has one unless told otherwise, as Excel takes it for another charset without. */
  bom?: boolean;
  /** CSV: the one character between cells; a comma unless told otherwise. */
  delimiter?: string;
  /** CSV: no row of column names. */
  skipHeaderRow?: boolean;
  /** XML: the name of the element around everything, and of the one around each item. */
  xmlRoot?: string;
  xmlRow?: string;
  /** RSS: what the channel says of itself. */
  feedTitle?: string;
  feedDescription?: string;
  feedLink?: string;
}

export function itemTooDeep(): Failure {
  return new Failure('invalid', `An item is nested deeper than ${MAX_DEPTH} levels.`);
}
