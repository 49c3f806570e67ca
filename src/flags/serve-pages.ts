// Serves the HTML pages that `site` links point to, for members who are logged in.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { showPage } from '../kernel/http/pages/html.ts';
import type { KnownCaller } from '../kernel/identity/caller.ts';
import { loginPathFrom } from '../kernel/identity/sessions/login-return.ts';
import { can } from '../kernel/identity/policy.ts';
import { findSessionCaller } from '../kernel/identity/sessions/session-caller.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { chargePage, showErrorsAsPages, showShell } from '../kernel/http/pages/session-pages.ts';
import { flagPage } from './feature-flags/flag-page.ts';
import { findFlag } from './feature-flags/store.ts';
import { openProject, unknownThing } from './find-project.ts';

/** A page counts against the same rate limit as an API call. */
const BUDGET = 'flags.global';

interface FlagPage {
  Params: { projectKey: string; flagKey: string };
  Querystring: { env?: string | string[] };
}

export function serveFlagPages(app: FastifyInstance, kernel: Kernel): void {
  void app.register((scope, _options, done) => {
    showErrorsAsPages(scope, kernel, 'console');
    const show = async (request: FastifyRequest<FlagPage>, reply: FastifyReply) => {
      if (await showShell(request, reply, kernel)) return reply;
      const visitor = await findSessionCaller(request, kernel);
      if (visitor === undefined) return reply.redirect(loginPathFrom(request.url), 303);
      await chargePage(kernel, BUDGET, visitor.caller);
      return showPage(reply, 200, await readPage(request, visitor.caller, kernel));
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
