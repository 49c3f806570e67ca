// Serves the page of the upgrade report, for members who are logged in, of each API whose callers choose a version.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Api } from '../dialect.ts';
import { Failure, type FailureKind } from '../failure.ts';
import { escapeHtml, htmlPage, showPage } from '../html.ts';
import { cookieOf } from '../identity/cookie.ts';
import { loginPathFrom } from '../identity/login-return.ts';
import type { KnownCaller } from '../identity/caller.ts';
import type { Kernel } from '../kernel.ts';
import { retrySeconds } from '../limit-window.ts';
import { DOCS_CATEGORY } from '../serve-docs.ts';
import { impactPage } from './page.ts';
import { maySeeAllUsage, readImpact } from './report.ts';

const PER_PAGE = 30;
const MAX_PAGE = 1_000_000;
const STATUS: Partial<Record<FailureKind, number>> = { forbidden: 403, 'not-found': 404, exhausted: 429 };

interface PageRequest {
  Params: { version: string };
  Querystring: { all?: string | string[]; page?: string | string[] };
}

export function serveImpactPages(app: FastifyInstance, apis: readonly Api[], kernel: Kernel): void {
  void app.register((scope, _options, done) => {
    scope.setErrorHandler((error: Error, _request, reply) => {
      const status = error instanceof Failure ? STATUS[error.kind] : undefined;
      if (status === undefined) kernel.log.error({ err: error, route: 'impact-page' }, 'a page failed');
      const words = status === undefined ? 'This did not work. Try again.' : error.message;
      const headers = error instanceof Failure ? (error.details.headers ?? {}) : {};
      const page = htmlPage('Not to be shown', `<p role="alert">${escapeHtml(words)}</p>`, 'card');
      return showPage(reply.headers(headers), status ?? 500, page);
    });
    for (const api of apis.filter(({ dialect }) => dialect.versions.headers !== undefined)) {
      scope.get<PageRequest>(`/docs/${api.dialect.name}/versions/:version/impact`, async (request, reply) => {
        const caller = await sessionCaller(request, kernel);
        if (caller === undefined) return reply.redirect(loginPathFrom(request.url), 303);
        charge(caller, kernel);
        return showPage(reply, 200, await readPage(api, request, caller, kernel));
      });
    }
    done();
  });
}

async function readPage(
  api: Api,
  { params, query }: FastifyRequest<PageRequest>,
  caller: KnownCaller,
  kernel: Kernel,
): Promise<string> {
  const all = query.all === 'true';
  const page = Math.min(Math.max(Math.trunc(Number(query.page)) || 1, 1), MAX_PAGE);
  const report = await readImpact(kernel, api, caller, {
    target: params.version,
    all,
    slice: { offset: (page - 1) * PER_PAGE, limit: PER_PAGE },
  });
  return impactPage(api, report, { target: params.version, all, maySeeAll: maySeeAllUsage(caller), page });
}

function charge(caller: KnownCaller, { limits, clock }: Kernel): void {
  const now = clock.now();
  if (!limits.enabled || limits.take(DOCS_CATEGORY, caller, now) !== undefined) return;
  const wait = retrySeconds(limits.peek(DOCS_CATEGORY, caller, now), now);
  throw new Failure('exhausted', `Too many calls. Try again in ${wait} seconds.`, {
    headers: { 'retry-after': String(wait) },
  });
}

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
