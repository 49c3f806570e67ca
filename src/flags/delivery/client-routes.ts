// Routes that clients poll for results: they evaluate flags for one context.
import { etagOf, matchesEtag } from '../../kernel/etag.ts';
import { JsonText, reply, route, type Call, type Reply, type Route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { ContextBody } from '../contexts/model.ts';
import { readContext } from '../evaluation/context.ts';
import { beginRun } from '../evaluation/run.ts';
import { warningsOf } from '../evaluation/warnings.ts';
import { readContextPath } from './context-path.ts';
import { loadBigSegments } from './big-segments.ts';
import {
  BrowserQuery,
  openBrowser,
  openMobile,
  openServer,
  ResultsQuery,
  type ClientReader,
  type OpenedClient,
} from './client-reader.ts';
import { openByClientId } from './keys.ts';
import { renderResults } from './render-results.ts';

const Results = Type.Record(Type.String(), Type.Unknown());
const ById = { environmentId: Type.String() };
const InPath = { context: Type.String({ description: 'JSON in Base64' }) };

const evaluating = { access: 'anyone', isData: true, reply: { 200: Results } } as const;
const inPath = { ...evaluating, method: 'GET' } as const;
/** The context is in the body, for contexts that are too long for a path or confidential. */
const inBody = { ...evaluating, method: 'REPORT', body: ContextBody } as const;

const forBrowsers = {
  summary: 'Evaluate all flags that browsers may see',
  query: BrowserQuery,
} as const;
const forMobile = {
  summary: 'Evaluate all flags that mobile apps may see',
  query: ResultsQuery,
} as const;
const forServers = {
  summary: 'Evaluate all flags for a server without an SDK',
  query: ResultsQuery,
} as const;

/** Contexts and users have different paths; both accept either format. */
const WAYS = { context: 'Context', user: 'User' } as const;
const ways = Object.keys(WAYS) as (keyof typeof WAYS)[];

/** Browser SDKs ask for them when they start. */
const getGoals = route(
  {
    id: 'getGoals',
    method: 'GET',
    path: '/goals/{environmentId}',
    summary: 'Get the clicks and page views that browsers report: there are none',
    access: 'anyone',
    isData: true,
    params: Type.Object(ById),
    reply: { 200: Type.Array(Type.Unknown()) },
  },
  async ({ params, now }, kernel) => {
    await openByClientId(kernel, params.environmentId, now);
    return [];
  },
);

const browserRoutes: readonly Route[] = ways.flatMap((way) => [
  route(
    {
      ...inPath,
      ...forBrowsers,
      id: `evaluateFor${WAYS[way]}`,
      path: `/evalx/{environmentId}/${way}s/{context}`,
      params: Type.Object({ ...ById, ...InPath }),
    },
    async (call, kernel) =>
      evaluate(call, kernel, await openBrowser(call, kernel, () => readContextPath(call.params.context))),
  ),
  route(
    {
      ...inBody,
      ...forBrowsers,
      id: `evaluateFor${WAYS[way]}InBody`,
      path: `/evalx/{environmentId}/${way}`,
      params: Type.Object(ById),
    },
    async (call, kernel) =>
      evaluate(call, kernel, await openBrowser(call, kernel, () => readContext(call.body))),
  ),
]);

/** With a key in the header `Authorization`. */
const routesByKey = (
  name: string,
  shape: typeof forMobile | typeof forServers,
  open: typeof openMobile,
): readonly Route[] =>
  ways.flatMap((way) => [
    route(
      {
        ...inPath,
        ...shape,
        id: `evaluate${name}For${WAYS[way]}`,
        path: `/evalx/${way}s/{context}`,
        params: Type.Object(InPath),
      },
      async (call, kernel) =>
        evaluate(call, kernel, await open(call, kernel, () => readContextPath(call.params.context))),
    ),
    route(
      { ...inBody, ...shape, id: `evaluate${name}For${WAYS[way]}InBody`, path: `/evalx/${way}` },
      async (call, kernel) => evaluate(call, kernel, await open(call, kernel, () => readContext(call.body))),
    ),
  ]);

/** Below `/sdk`. */
export const clientRoutes: readonly Route[] = [
  ...browserRoutes,
  getGoals,
  ...routesByKey('Server', forServers, openServer),
];
/** Below `/msdk`. */
export const mobileRoutes: readonly Route[] = routesByKey('Mobile', forMobile, openMobile);

/** Flags per log line. */
const MAX_LOGGED = 10;

async function evaluate(
  { id, method, headers }: Pick<Call, 'id' | 'method' | 'headers'>,
  { db, log, release }: Kernel,
  { feed, reader }: OpenedClient,
): Promise<Reply> {
  const { environment, revision } = feed;
  const bigSegments = [...feed.bigSegments.keys()];
  const loaded = await loadBigSegments(db, feed, reader.context);
  const own = { 'x-ld-envid': environment.clientId };
  const isRead = method !== 'REPORT';
  // Members of big segments can change within a revision, while a file is imported.
  const memberships = bigSegments.map((key) => loaded.bigSegmentInclusion(key));
  const etag = resultsEtag(reader, [release, environment.id, revision, memberships]);
  if (isRead && matchesEtag(headers['if-none-match'] as string | undefined, etag))
    return reply(304, undefined, { ...own, etag });
  const { json, limited, limits } = await renderResults(beginRun(reader.context, loaded), reader);
  if (limited.length > 0) {
    const flags = limited.slice(0, MAX_LOGGED);
    log.debug({ call: id, environment: environment.key, flags }, warningsOf(limits).join(' '));
  }
  return reply(200, new JsonText(json), isRead ? { ...own, etag } : own);
}

/** Made of everything that the results depend on, so that a client that has them is answered without an evaluation. */
function resultsEtag({ audience, withReasons, context }: ClientReader, state: readonly unknown[]): string {
  return etagOf(JSON.stringify([audience, withReasons, [...context.parts], ...state]));
}
