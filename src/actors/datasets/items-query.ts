// The query for items: its parameters, the view of the dataset's schema that it names, and the range of items it selects.
import { exporters, type ExportFormat } from '../export/exporters.ts';
import type { ExportOptions } from '../export/input.ts';
import type { Projection } from '../export/project.ts';
import { Failure } from '../../kernel/failure.ts';
import { isObject, propertyOf } from '../../kernel/json/json-value.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type { ItemRange } from './store-reads.ts';

const FORMATS = Object.keys(exporters) as ExportFormat[];
/** Shown where there is no limit. */
const NO_LIMIT = 999_999_999_999;

const Flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const Text = (description: string) => Type.Optional(Type.String({ description }));
const Names = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

export const ItemsQuery = Type.Object({
  format: OneOf(FORMATS, { default: 'json' }),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, description: 'How many items to leave out at the start' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 0, description: 'The most items to give; 0 for all' })),
  desc: Flag('The newest item first'),
  clean: Flag('Both skipHidden and skipEmpty'),
  skipHidden: Flag('Leave out fields whose names begin with #'),
  skipEmpty: Flag('Leave out items without any field'),
  fields: Names('The only fields to give, in this order'),
  outputFields: Names('What to call the fields, in their order'),
  omit: Names('Fields to leave out'),
  unwind: Names('Fields whose elements become items of their own'),
  flatten: Names('Fields whose nested objects become dotted fields'),
  simplified: Flag('Items of the old crawlers in short'),
  skipFailedPages: Flag('Leave out items of the old crawlers that failed'),
  view: Text("A view of the dataset's schema"),
  delimiter: Text('CSV: what stands between cells'),
  bom: Flag('Whether a byte order mark comes first'),
  skipHeaderRow: Flag('CSV: no row of names'),
  escapeFormulas: Flag(
    'CSV: an apostrophe before text that begins with =, +, -, @, a tab or a line break, which a spreadsheet would take for a formula',
  ),
  xmlRoot: Text('XML: the name of the outer element'),
  xmlRow: Text('XML: the name of the element of each item'),
  feedTitle: Text('RSS: the title of the channel'),
  feedDescription: Text('RSS: the description of the channel'),
  attachment: Flag('To be saved as a file'),
  signature: Text('Opens the dataset without a token'),
});
export type ItemsQuery = Static<typeof ItemsQuery>;

/** The query combined with the view that it names; the query wins. */
export interface ItemsRequest {
  format: ExportFormat;
  offset: number;
  limit: number | undefined;
  desc: boolean;
  projection: Projection;
  isAttachment: boolean;
}

export function parseItemsQuery(query: ItemsQuery, schema: Record<string, unknown> | null): ItemsRequest {
  const view = query.view === undefined ? {} : viewOf(query.view, schema);
  const limit = query.limit ?? view.limit ?? 0;
  const { simplified, skipFailedPages, clean, skipHidden, skipEmpty } = query;
  const projection = {
    simplified,
    skipFailedPages,
    clean,
    skipHidden,
    skipEmpty,
    unwind: toNames(query.unwind) ?? toNames(view.unwind),
    flatten: toNames(query.flatten) ?? toNames(view.flatten),
    fields: toNames(query.fields) ?? toNames(view.fields),
    outputFields: toNames(query.outputFields),
    omit: toNames(query.omit) ?? toNames(view.omit),
  };
  return {
    format: query.format,
    offset: query.offset ?? 0,
    limit: limit === 0 ? undefined : limit,
    desc: query.desc ?? view.desc ?? false,
    projection: omitUndefined(projection),
    isAttachment: query.attachment ?? false,
  };
}

interface View {
  fields?: unknown;
  omit?: unknown;
  unwind?: unknown;
  flatten?: unknown;
  limit?: number | null;
  desc?: boolean | null;
}

function viewOf(name: string, schema: Record<string, unknown> | null): View {
  if (schema === null) {
    throw new Failure('invalid', 'The dataset has no schema, and so no views', {
      code: 'dataset-does-not-have-schema',
    });
  }
  const { views } = schema;
  const view = isObject(views) ? propertyOf(views, name) : undefined;
  if (!isObject(view)) {
    throw new Failure('invalid', `The dataset has no view "${name}"`, {
      code: 'requested-dataset-view-does-not-exist',
    });
  }
  const { transformation } = view;
  return isObject(transformation) ? transformation : {};
}

function toNames(names: unknown): string[] | undefined {
  if (typeof names === 'string') return [names];
  return Array.isArray(names) ? (names as string[]).filter((name) => name !== '') : undefined;
}

/** Drops undefined options, which `exactOptionalPropertyTypes` forbids. */
function omitUndefined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

export function exportOptions(query: ItemsQuery, feed: Required<FeedOptions>): ExportOptions {
  const { bom, delimiter, skipHeaderRow, escapeFormulas, xmlRoot, xmlRow, feedTitle, feedDescription } =
    query;
  const given = {
    bom,
    delimiter,
    skipHeaderRow,
    escapeFormulas,
    xmlRoot,
    xmlRow,
    feedTitle,
    feedDescription,
  };
  return { ...feed, ...omitUndefined(given) };
}

type FeedOptions = Pick<ExportOptions, 'feedTitle' | 'feedDescription' | 'feedLink'>;

/** The range of the selected items; in descending order the offset counts from the end. */
export function rangeOf({ offset, limit = Infinity, desc }: ItemsRequest, total: number): ItemRange {
  const first = Math.min(offset, total);
  const end = Math.min(first + limit, total);
  return desc ? { first: total - end, end: total - first, desc } : { first, end, desc };
}

/** The pagination goes into headers, because the body is a bare list. */
export function paginationHeaders(
  { offset, limit = NO_LIMIT, desc }: ItemsRequest,
  { first, end }: ItemRange,
  total: number,
): Record<string, string> {
  return {
    'x-apify-pagination-total': String(total),
    'x-apify-pagination-offset': String(offset),
    'x-apify-pagination-limit': String(limit),
    'x-apify-pagination-count': String(end - first),
    'x-apify-pagination-desc': String(desc),
  };
}
