// What browsers and mobile apps poll: what the flags that are meant for them come to for one context.
import { reply, route, type Call, type Reply } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Context } from '../evaluation/context.ts';
import type { Environment } from '../projects/project.ts';
import { beginRun } from '../evaluation/run.ts';
import { warningsOf } from '../evaluation/warnings.ts';
import { readContextPath } from './context-path.ts';
import { findDelivery, prepareFor } from './deliveries.ts';
import { checkHash, openByClientId, openByMobileKey } from './keys.ts';
import { evaluateAll, type Audience } from './results.ts';

const Results = Type.Record(Type.String(), Type.Unknown());
const WithReasons = Type.Optional(Type.Boolean({ description: 'Whether to say why each has its value' }));
const ContextPath = Type.String({ description: 'JSON in Base64' });

const evaluating = { method: 'GET', access: 'anyone', reply: { 200: Results } } as const;

/** Contexts and users have different paths, and may be written either way on both. */
const WAYS = { contexts: 'Context', users: 'User' } as const;
const ways = Object.keys(WAYS) as (keyof typeof WAYS)[];

export const clientRoutes = ways.map((way) =>
  route(
    {
      ...evaluating,
      id: `evaluateFor${WAYS[way]}`,
      path: `/evalx/{environmentId}/${way}/{context}`,
      summary: 'Evaluate all flags that browsers may see',
      params: Type.Object({ environmentId: Type.String(), context: ContextPath }),
      query: Type.Object({ withReasons: WithReasons, h: Type.Optional(Type.String()) }),
    },
    async (call, kernel) => {
      const environment = await openByClientId(kernel.db, call.params.environmentId, call.now);
      const context = readContextPath(call.params.context);
      checkHash(environment, context, call.query.h, call.now);
      return evaluate(call, kernel, environment, context, 'usingEnvironmentId');
    },
  ),
);

export const mobileRoutes = ways.map((way) =>
  route(
    {
      ...evaluating,
      id: `evaluateMobileFor${WAYS[way]}`,
      path: `/evalx/${way}/{context}`,
      summary: 'Evaluate all flags that mobile apps may see',
      params: Type.Object({ context: ContextPath }),
      query: Type.Object({ withReasons: WithReasons }),
    },
    async (call, kernel) => {
      const environment = await openByMobileKey(kernel.db, call);
      return evaluate(call, kernel, environment, readContextPath(call.params.context), 'usingMobileKey');
    },
  ),
);

/** Flags in a line of the log. */
const MOST_LOGGED = 10;

async function evaluate(
  { id, query: { withReasons = false } }: Pick<Call, 'id'> & { query: { withReasons?: boolean } },
  kernel: Kernel,
  environment: Environment,
  context: Context,
  audience: Audience,
): Promise<Reply> {
  const delivery = await findDelivery(kernel, environment);
  const run = beginRun(context, await prepareFor(kernel.db, delivery, context));
  const { results, limited, limits } = await evaluateAll(run, delivery.revision, { audience, withReasons });
  if (limited.length > 0) {
    const flags = limited.slice(0, MOST_LOGGED);
    kernel.log.debug({ call: id, environment: environment.key, flags }, warningsOf(limits).join(' '));
  }
  return reply(200, results, { 'x-ld-envid': environment.clientId });
}
