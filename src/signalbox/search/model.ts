// What a search finds, as replies show it, and what its query may ask for.
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';

/** In the order in which replies have them. */
export const SEARCH_KINDS = [
  'flag',
  'segment',
  'project',
  'environment',
  'actor',
  'run',
  'build',
  'task',
  'schedule',
  'dataset',
  'key-value-store',
  'request-queue',
  'repository',
  'issue',
  'pull',
  'gist',
  'member',
  'team',
  'token',
  'operation',
  'guide',
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export const MAX_QUERY_LENGTH = 500;
export const DEFAULT_PER_KIND = 5;
export const MAX_PER_KIND = 20;

const SearchItem = Type.Object(
  {
    kind: Type.String({ enum: [...SEARCH_KINDS] }),
    id: Type.String(),
    title: Type.String({ description: 'What a person calls it' }),
    detail: Type.String({ description: 'One short line: its key, where it is, its status' }),
    path: Type.String({
      description:
        'Of its page, below `/console/`; that of documentation begins with a slash, and is below the root of the server',
    }),
    resource: Type.Optional(Type.String({ description: 'Its specifier in policies and in the activity' })),
    at: Type.Optional(Type.Integer({ description: 'When it last changed, or began, in epoch milliseconds' })),
    isExact: Type.Optional(
      Type.Boolean({ description: 'Whether the query is its id, key, number or address' }),
    ),
  },
  { $id: 'SearchItem' },
);

export const SearchResult = Type.Object({ items: Type.Array(SearchItem) }, { $id: 'SearchResult' });

export type FoundItem = Static<typeof SearchItem>;

/** All of them where none is named. */
export function parseKinds(list: string | undefined): ReadonlySet<SearchKind> {
  if (list === undefined) return new Set(SEARCH_KINDS);
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(SEARCH_KINDS as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw problem('query.kinds', `must be a list, with commas, of ${SEARCH_KINDS.join(', ')}`);
  return new Set(names as SearchKind[]);
}

/** A path below `/console/` of these segments. */
export function pathOf(...segments: (string | number)[]): string {
  return segments.map((segment) => encodeURIComponent(segment)).join('/');
}
