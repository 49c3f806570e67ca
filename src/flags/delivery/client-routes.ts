// Routes that browsers and mobile apps poll: they evaluate flags for one context.
import { reply, route, type Call, type Reply, type Route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { ContextBody } from '../contexts/model.ts';
import { readContext } from '../evaluation/context.ts';
import { beginRun } from '../evaluation/run.ts';
import { warningsOf } from '../evaluation/warnings.ts';
import { readContextPath } from './context-path.ts';
import { loadBigSegments } from './big-segments.ts';
import { BrowserQuery, MobileQuery, openBrowser, openMobile, type OpenedClient } from './client-reader.ts';
import { evaluateAll } from './results.ts';

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
  query: MobileQuery,
} as const;

/** Contexts and users have different paths; both accept either format. */
const WAYS = { context: 'Context', user: 'User' } as const;
const ways = Object.keys(WAYS) as (keyof typeof WAYS)[];

export const clientRoutes: readonly Route[] = ways.flatMap((way) => [
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

export const mobileRoutes: readonly Route[] = ways.flatMap((way) => [
  route(
    {
      ...inPath,
      ...forMobile,
      id: `evaluateMobileFor${WAYS[way]}`,
      path: `/evalx/${way}s/{context}`,
      params: Type.Object(InPath),
    },
    async (call, kernel) =>
      evaluate(call, kernel, await openMobile(call, kernel, () => readContextPath(call.params.context))),
  ),
  route(
    { ...inBody, ...forMobile, id: `evaluateMobileFor${WAYS[way]}InBody`, path: `/evalx/${way}` },
    async (call, kernel) =>
      evaluate(call, kernel, await openMobile(call, kernel, () => readContext(call.body))),
  ),
]);

/** Flags per log line. */
const MAX_LOGGED = 10;

async function evaluate(
  { id }: Pick<Call, 'id'>,
  { db, log }: Kernel,
  { feed, reader }: OpenedClient,
): Promise<Reply> {
  const { environment, revision } = feed;
  const run = beginRun(reader.context, await loadBigSegments(db, feed, reader.context));
  const { results, limited, limits } = await evaluateAll(run, revision, reader);
  if (limited.length > 0) {
    const flags = limited.slice(0, MAX_LOGGED);
    log.debug({ call: id, environment: environment.key, flags }, warningsOf(limits).join(' '));
  }
  return reply(200, results, { 'x-ld-envid': environment.clientId });
}
