// What this layer adds to the documentation: guides, the search, tokens for samples, and causes of errors from a guide.
import { memoizeAsync } from '../../kernel/collections/memoize-async.ts';
import type { Api } from '../../kernel/http/protocol.ts';
import type { DocsSite } from '../../kernel/openapi/docs-frame.ts';
import type { ErrorCauses } from '../../kernel/openapi/error-catalogue.ts';
import { FIRST_GUIDES } from './guide-groups.ts';
import { readGuides } from './guide-files.ts';
import { GUIDES_PATH } from './guide.ts';

export const SEARCH_PATH = '/docs/search';

/** The guide whose tables describe the errors of an API. */
const ERROR_GUIDES: Readonly<Record<string, string>> = { actors: 'actors-errors' };
const ROW = /^\| `(?<code>[a-z][a-z\d-]*)` \| \d{3} \| (?<cause>.+?) \|$/gm;
const NONE: ErrorCauses = new Map();

export function docsSiteOf(apis: readonly Api[]): DocsSite {
  const causes = memoizeAsync(readCauses);
  return {
    apis,
    links: [
      ...apis.flatMap(({ protocol: { name } }) => {
        const guide = FIRST_GUIDES[name];
        return guide === undefined
          ? []
          : [{ href: `${GUIDES_PATH}/${guide.name}`, title: guide.title, api: name }];
      }),
      { href: GUIDES_PATH, title: 'Guides' },
    ],
    searchPath: SEARCH_PATH,
    tokenPath: '/api/v2/tokens',
    causesOf: async (api) => (await causes()).get(api) ?? NONE,
  };
}

/** By the name of the API. */
async function readCauses(): Promise<ReadonlyMap<string, ErrorCauses>> {
  const guides = await readGuides();
  return new Map(
    Object.entries(ERROR_GUIDES).map(([api, name]) => [api, causesIn(guides.get(name)?.markdown ?? '')]),
  );
}

function causesIn(markdown: string): ErrorCauses {
  return new Map([...markdown.matchAll(ROW)].map(({ groups }) => [groups!['code']!, groups!['cause']!]));
}
