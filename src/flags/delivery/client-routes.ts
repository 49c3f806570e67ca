// Routes that clients poll for results: they evaluate flags for one context.
import { etagOf, matchesEtag } from '../../kernel/http/reply/etag.ts';
import { JsonText, reply, route, type Call, type Reply, type Route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { ContextBody } from '../contexts/model.ts';
import { readContext } from '../evaluation/context.ts';
import { beginRun, type EvaluationEnvironment, warningsOf } from '../evaluation/run.ts';
import {
  readContextPath,
  checkFilter,
  BrowserQuery,
  readBrowser,
  readClient,
  ResultsQuery,
  type ClientCall,
  type OpenedClient,
} from './sdk-request.ts';
import { loadBigSegments } from './evaluate-all.ts';
import type { Feed } from './feed/feed.ts';
import { openByClientId, openByMobileKey, openBySdkKey, type OpenedFeed } from './keys.ts';
import { renderResults, type RenderedResults } from './render-results.ts';

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
  async (call, kernel) => {
    await openByClientId(kernel, call.params.environmentId, call);
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
    async (call, kernel) => {
      const opened = await openByClientId(kernel, call.params.environmentId, call);
      return evaluateInPath(call, kernel, opened, readBrowser);
    },
  ),
  route(
    {
      ...inBody,
      ...forBrowsers,
      id: `evaluateFor${WAYS[way]}InBody`,
      path: `/evalx/{environmentId}/${way}`,
      params: Type.Object(ById),
    },
    async (call, kernel) => {
      const opened = await openByClientId(kernel, call.params.environmentId, call);
      return evaluateInBody(
        call,
        kernel,
        readBrowser(call, kernel, opened, () => readContext(call.body)),
      );
    },
  ),
]);

/** With a key in the header `Authorization`. */
const routesByKey = (
  name: string,
  shape: typeof forMobile | typeof forServers,
  open: typeof openByMobileKey,
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
      async (call, kernel) => evaluateInPath(call, kernel, await open(kernel, call), readClient),
    ),
    route(
      { ...inBody, ...shape, id: `evaluate${name}For${WAYS[way]}InBody`, path: `/evalx/${way}` },
      async (call, kernel) => {
        const opened = await open(kernel, call);
        return evaluateInBody(
          call,
          kernel,
          readClient(call, kernel, opened, () => readContext(call.body)),
        );
      },
    ),
  ]);

/** Below `/sdk`. */
export const clientRoutes: readonly Route[] = [
  ...browserRoutes,
  getGoals,
  ...routesByKey('Server', forServers, openBySdkKey),
];
/** Below `/msdk`. */
export const mobileRoutes: readonly Route[] = routesByKey('Mobile', forMobile, openByMobileKey);

type CallInPath = ClientCall & Pick<Call, 'id'> & { params: { context: string } };

/** Only results for a context in the path have an ETag: a body is never part of what a cache compares. */
async function evaluateInPath(
  call: CallInPath,
  kernel: Kernel,
  opened: OpenedFeed,
  read: typeof readClient,
): Promise<Reply> {
  const { feed, kind } = opened;
  const { environment, revision } = feed;
  const { keptEvaluations } = kernel.services;
  // Everything that the results depend on, so that a client that has them is answered without an evaluation.
  const state = [
    kernel.release,
    environment.id,
    revision,
    kind,
    call.query.withReasons,
    call.params.context,
  ].join(' ');
  const unchanged = (etag: string) => reply(304, undefined, { ...idOf(feed), etag });
  const wanted = call.headers['if-none-match'] as string | undefined;
  const isWhole = !dependsOnContext(feed);
  if (isWhole) {
    checkFilter(call.query);
    const kept = keptEvaluations.find(state);
    const etag = kept?.etag ?? (wanted === undefined ? '' : etagOf(state));
    if ((kept !== undefined || wanted !== '*') && matchesEtag(wanted, etag)) return unchanged(etag);
    if (kept !== undefined) return reply(200, new JsonText(kept.json), { ...idOf(feed), etag });
  }
  const client = read(call, kernel, opened, () => readContextPath(call.params.context));
  const loaded = await loadBigSegments(kernel.db, feed, client.reader.context);
  const memberships = [...feed.bigSegments.keys()].map((key) => loaded.bigSegmentInclusion(key));
  const etag = etagOf([state, ...memberships].join(' '));
  if (matchesEtag(wanted, etag)) return unchanged(etag);
  const { json, limited } = await render(call, kernel, client, loaded);
  // A limit is logged each time that it is reached.
  if (isWhole && limited.length === 0) keptEvaluations.note(state, { etag, json });
  return reply(200, new JsonText(json), { ...idOf(feed), etag });
}

/** Otherwise the context need not be read again: it was when the results were sent that the caller has. */
function dependsOnContext({ environment: { secureMode }, bigSegments }: Feed): boolean {
  // The hash of secure mode must be checked. Members can change within a revision, while a file is imported.
  return secureMode || bigSegments.size > 0;
}

async function evaluateInBody(call: Pick<Call, 'id'>, kernel: Kernel, client: OpenedClient): Promise<Reply> {
  const loaded = await loadBigSegments(kernel.db, client.feed, client.reader.context);
  const { json } = await render(call, kernel, client, loaded);
  return reply(200, new JsonText(json), idOf(client.feed));
}

function idOf({ environment }: Feed) {
  return { 'x-ld-envid': environment.clientId };
}

/** Flags per log line. */
const MAX_LOGGED = 10;

async function render(
  { id }: Pick<Call, 'id'>,
  { log }: Kernel,
  { feed: { environment }, reader }: OpenedClient,
  loaded: EvaluationEnvironment,
): Promise<RenderedResults> {
  const rendered = await renderResults(beginRun(reader.context, loaded), reader);
  const { limited, limits } = rendered;
  if (limited.length > 0) {
    const flags = limited.slice(0, MAX_LOGGED);
    log.debug({ call: id, environment: environment.key, flags }, warningsOf(limits).join(' '));
  }
  return rendered;
}
