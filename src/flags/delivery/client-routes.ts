// Routes that browsers and mobile apps poll: they evaluate flags for one context.
import { reply, route, type Call, type Reply, type Route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { ContextBody } from '../contexts/model.ts';
import { readContext, type Context } from '../evaluation/context.ts';
import type { Environment } from '../projects/project.ts';
import { beginRun } from '../evaluation/run.ts';
import { warningsOf } from '../evaluation/warnings.ts';
import { readContextPath } from './context-path.ts';
import { readPayload, loadBigSegments } from './payload-cache.ts';
import { checkHash, openByClientId, openByMobileKey } from './keys.ts';
import { evaluateAll, type Audience } from './results.ts';

const Results = Type.Record(Type.String(), Type.Unknown());
const WithReasons = Type.Optional(Type.Boolean({ description: 'Whether to say why each has its value' }));
const ById = { environmentId: Type.String() };
const InPath = { context: Type.String({ description: 'JSON in Base64' }) };

const evaluating = { access: 'anyone', isData: true, reply: { 200: Results } } as const;
const inPath = { ...evaluating, method: 'GET' } as const;
/** The context is in the body, for contexts that are too long for a path or confidential. */
const inBody = { ...evaluating, method: 'REPORT', body: ContextBody } as const;

const forBrowsers = {
  summary: 'Evaluate all flags that browsers may see',
  query: Type.Object({ withReasons: WithReasons, h: Type.Optional(Type.String()) }),
} as const;
const forMobile = {
  summary: 'Evaluate all flags that mobile apps may see',
  query: Type.Object({ withReasons: WithReasons }),
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
    (call, kernel) => evaluateForBrowser(call, kernel, () => readContextPath(call.params.context)),
  ),
  route(
    {
      ...inBody,
      ...forBrowsers,
      id: `evaluateFor${WAYS[way]}InBody`,
      path: `/evalx/{environmentId}/${way}`,
      params: Type.Object(ById),
    },
    (call, kernel) => evaluateForBrowser(call, kernel, () => readContext(call.body)),
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
    async (call, kernel) => {
      const environment = await openByMobileKey(kernel.db, call);
      return evaluate(call, kernel, environment, readContextPath(call.params.context), 'usingMobileKey');
    },
  ),
  route(
    { ...inBody, ...forMobile, id: `evaluateMobileFor${WAYS[way]}InBody`, path: `/evalx/${way}` },
    async (call, kernel) => {
      const environment = await openByMobileKey(kernel.db, call);
      return evaluate(call, kernel, environment, readContext(call.body), 'usingMobileKey');
    },
  ),
]);

type DeliveryCall = Pick<Call, 'id' | 'now'> & { query: { withReasons?: boolean } };

async function evaluateForBrowser(
  call: DeliveryCall & { params: { environmentId: string }; query: { h?: string } },
  kernel: Kernel,
  read: () => Context,
): Promise<Reply> {
  const environment = await openByClientId(kernel.db, call.params.environmentId, call.now);
  const context = read();
  checkHash(environment, context, call.query.h, call.now);
  return evaluate(call, kernel, environment, context, 'usingEnvironmentId');
}

/** Flags per log line. */
const MAX_LOGGED = 10;

async function evaluate(
  { id, query: { withReasons = false } }: DeliveryCall,
  kernel: Kernel,
  environment: Environment,
  context: Context,
  audience: Audience,
): Promise<Reply> {
  const payload = await readPayload(kernel, environment);
  const run = beginRun(context, await loadBigSegments(kernel.db, payload, context));
  const { results, limited, limits } = await evaluateAll(run, payload.revision, { audience, withReasons });
  if (limited.length > 0) {
    const flags = limited.slice(0, MAX_LOGGED);
    kernel.log.debug({ call: id, environment: environment.key, flags }, warningsOf(limits).join(' '));
  }
  return reply(200, results, { 'x-ld-envid': environment.clientId });
}
