// Serves the HTML pages that `site` links point to, for members who are logged in.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, type FailureKind } from '../kernel/failure.ts';
import { escapeHtml, htmlPage, showPage } from '../kernel/html.ts';
import type { KnownCaller } from '../kernel/identity/caller.ts';
import { cookieOf } from '../kernel/identity/cookie.ts';
import { loginPathFrom } from '../kernel/identity/login-return.ts';
import { can } from '../kernel/identity/policy.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { retrySeconds } from '../kernel/limit-window.ts';
import { flagPage } from './feature-flags/flag-page.ts';
import { findFlag } from './feature-flags/store.ts';
import { openProject, unknownThing } from './find-project.ts';

const STATUS: Partial<Record<FailureKind, number>> = { forbidden: 403, 'not-found': 404, exhausted: 429 };

interface FlagPage {
  Params: { projectKey: string; flagKey: string };
  Querystring: { env?: string | string[] };
}

export function serveFlagPages(app: FastifyInstance, kernel: Kernel): void {
  void app.register((scope, _options, done) => {
    scope.setErrorHandler((error: Error, _request, reply) => {
      const status = error instanceof Failure ? STATUS[error.kind] : undefined;
      if (status === undefined) kernel.log.error({ err: error, route: 'console' }, 'a page failed');
      const words = status === undefined ? 'This did not work. Try again.' : error.message;
      const headers = error instanceof Failure ? (error.details.headers ?? {}) : {};
      const page = htmlPage('Not to be shown', `<p role="alert">${escapeHtml(words)}</p>`, 'card');
      return showPage(reply.headers(headers), status ?? 500, page);
    });
    const show = async (request: FastifyRequest<FlagPage>, reply: FastifyReply) => {
      const caller = await sessionCaller(request, kernel);
      if (caller === undefined) return reply.redirect(loginPathFrom(request.url), 303);
      charge(caller, kernel);
      return showPage(reply, 200, await readPage(request, caller, kernel));
    };
    scope.get<FlagPage>('/console/flags/:projectKey/:flagKey', show);
    scope.get<FlagPage>('/console/flags/:projectKey/:flagKey/targeting', show);
    done();
  });
}

async function readPage({ params, query }: FastifyRequest<FlagPage>, caller: KnownCaller, { db }: Kernel) {
  const asking = { can: (resource: string, action = 'viewProject') => can(caller, action, resource) };
  const project = await openProject(asking, db, params.projectKey);
  const asked = query.env === undefined ? undefined : [query.env].flat();
  const found = await findFlag(db, project.id, params.flagKey, asked);
  if (found === undefined) throw unknownThing('flag', params.flagKey);
  return flagPage(found.flag, { project, environments: found.environments });
}

/** A page counts against the same rate limit as an API call. */
function charge(caller: KnownCaller, { limits, clock }: Kernel): void {
  const now = clock.now();
  if (!limits.enabled || limits.take(BUDGET, caller, now) !== undefined) return;
  const wait = retrySeconds(limits.peek(BUDGET, caller, now), now);
  throw new Failure('exhausted', `Too many calls. Try again in ${wait} seconds.`, {
    headers: { 'retry-after': String(wait) },
  });
}

const BUDGET = 'flags.global';

async function sessionCaller({ headers }: FastifyRequest, { identity, clock }: Kernel) {
  const credential = cookieOf(headers.cookie);
  if (credential === undefined) return undefined;
  try {
    return await identity.identify(credential, clock.now());
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unauthenticated') return undefined;
    throw error;
  }
}
