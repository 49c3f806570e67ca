// The input of every exporter: items in batches or as joined texts, and the options of the reader.
import { Failure } from '../../kernel/failure.ts';
import { MAX_DEPTH, type JsonObject } from '../../kernel/json/json-value.ts';

export type Item = JsonObject;

/**
 * Each call reads all batches again. Tables read twice, first for the columns and then for the rows, so that no item is
 * kept in memory; every call must give the same items even if some are added in between.
 */
export type ExportSource<T = Item> = () => AsyncIterable<readonly T[]>;

/** Formats ignore the options that are not theirs. */
export interface ExportOptions {
  /** A byte order mark before the text. CSV has one by default, because Excel guesses a wrong charset without. */
  bom?: boolean;
  /** CSV: the character between cells; a comma by default. */
  delimiter?: string;
  /** CSV: no row of column names. */
  skipHeaderRow?: boolean;
  /** CSV: no text is a formula for a spreadsheet. */
  escapeFormulas?: boolean;
  /** XML: the name of the root element, and of the element of each item. */
  xmlRoot?: string;
  xmlRow?: string;
  /** RSS: the title and link of the channel. */
  feedTitle?: string;
  feedDescription?: string;
  feedLink?: string;
}

export function itemTooDeep(): Failure {
  return new Failure('invalid', `An item is nested deeper than ${MAX_DEPTH} levels.`);
}

/** Between the JSON texts of items that are joined to one text: with brackets around it, that is a JSON array. JSON.stringify writes no line breaks, so a text can be split without parsing it. */
export const SEPARATOR = ',\n';

/** One parse of all items is faster than one for each. */
export function parseItems(text: string): Item[] {
  return JSON.parse(`[${text}]`) as Item[];
}

/** As JSON lines. */
export function toLines(text: string): string {
  return text.replaceAll(SEPARATOR, '\n');
}
