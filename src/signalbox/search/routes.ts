// One search over everything that the caller may see.
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import { findEverything } from './find.ts';
import {
  DEFAULT_PER_KIND,
  MAX_PER_KIND,
  MAX_QUERY_LENGTH,
  parseKinds,
  SEARCH_KINDS,
  SearchResult,
} from './model.ts';
import { openSearcher } from './source.ts';

const search = route(
  {
    id: 'search',
    method: 'GET',
    path: '/search',
    summary: 'Search everything',
    description:
      'Finds what has, for each word of `q`, a word that begins with it in its name, key or tags. A pasted id or address, ' +
      '`owner/repository`, `owner/repository#12` or the ending of a token finds what it names, which comes first. Only ' +
      'what the caller may see is found, and the documentation: operations of all APIs, and guides.',
    access: 'caller',
    query: Type.Object({
      q: PlainText({ minLength: 1, maxLength: MAX_QUERY_LENGTH, description: 'What to look for' }),
      kinds: Type.Optional(
        PlainText({
          maxLength: 500,
          description: `Only these, with commas between them: ${SEARCH_KINDS.join(', ')}`,
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: `Of each kind. ${describeLimit(DEFAULT_PER_KIND, MAX_PER_KIND)}`,
        }),
      ),
    }),
    reply: { 200: SearchResult },
  },
  async ({ query: { q, kinds, limit }, caller, now }, kernel) => {
    if (q.trim() === '') throw problem('query.q', 'must have a letter or a digit');
    const request = {
      text: q,
      kinds: parseKinds(kinds),
      limit: clampLimit(limit, DEFAULT_PER_KIND, MAX_PER_KIND),
    };
    return { items: await findEverything(await openSearcher(kernel, caller, now), request) };
  },
);

export const globalSearchRoutes = [search];
