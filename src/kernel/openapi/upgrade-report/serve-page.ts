// Serves the page of the upgrade report, for members who are logged in, of each API whose callers choose a version.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Api } from '../../http/protocol.ts';
import { showPage } from '../../http/pages/html.ts';
import { loginPathFrom } from '../../identity/sessions/login-return.ts';
import type { KnownCaller } from '../../identity/caller.ts';
import { findSessionCaller } from '../../identity/sessions/session-caller.ts';
import type { Kernel } from '../../kernel.ts';
import { chargePage, DOCS_CATEGORY, showErrorsAsPages, showShell } from '../../http/pages/session-pages.ts';
import { impactPage } from './page.ts';
import { maySeeAllUsage, readImpact } from './report.ts';

const PER_PAGE = 30;
const MAX_PAGE = 1_000_000;

interface PageRequest {
  Params: { version: string };
  Querystring: { all?: string | string[]; page?: string | string[] };
}

export function serveImpactPages(app: FastifyInstance, apis: readonly Api[], kernel: Kernel): void {
  void app.register((scope, _options, done) => {
    showErrorsAsPages(scope, kernel, 'impact-page');
    for (const api of apis.filter(({ protocol }) => protocol.versions.headers !== undefined)) {
      scope.get<PageRequest>(
        `/docs/${api.protocol.name}/versions/:version/impact`,
        async (request, reply) => {
          if (await showShell(request, reply, kernel)) return reply;
          const visitor = await findSessionCaller(request, kernel);
          if (visitor === undefined) return reply.redirect(loginPathFrom(request.url), 303);
          await chargePage(kernel, DOCS_CATEGORY, visitor.caller);
          return showPage(reply, 200, await readPage(api, request, visitor.caller, kernel));
        },
      );
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
