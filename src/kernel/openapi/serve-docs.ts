// Serves the documentation: pages, their Markdown, OpenAPI documents and a guide in plain text, without a token, within a budget
// for each address.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Api } from '../http/protocol.ts';
import { apiPage, indexPage, limitsPage } from './docs.ts';
import { LIMITS_PATH, showDocs, type DocsContent, type DocsPlace, type DocsSite } from './docs-frame.ts';
import { errorsMarkdown, errorsPage, errorsPath } from './error-catalogue.ts';
import { describedVersions, versionIndexPage } from './docs-versions.ts';
import { markdownOf } from './docs-markdown.ts';
import { makeVersionPage } from './docs-version-page.ts';
import { matchesEtag, storeBytes, type StoredBytes } from '../http/reply/etag.ts';
import { htmlPage, showPage } from '../http/pages/html.ts';
import { anonymousAt } from '../identity/caller.ts';
import type { Kernel } from '../kernel.ts';
import { memoizeAsync } from '../collections/memoize-async.ts';
import { chargePage, DOCS_CATEGORY, showErrorsAsPages } from '../http/pages/session-pages.ts';
import { llmsText } from './llms.ts';
import type { Quota } from '../limits/window.ts';
import { openApiBytes, servedApi } from './document.ts';
import { versionPath } from '../versions/version-effects.ts';
import { readVersionExamples } from './examples.ts';
import { ReferencePages } from './reference/reference-pages.ts';

/** The documents are large, and anybody may ask for them. */
export const DOCS_QUOTA: Quota = { anonymous: 120, known: 120, seconds: 60 };

export function serveDocs(app: FastifyInstance, site: DocsSite, kernel: Kernel): void {
  const { apis } = site;
  let text: StoredBytes | undefined;
  const show = (reply: FastifyReply, content: DocsContent, place: DocsPlace) =>
    showDocs(reply, site, content, place);
  void app.register((scope, _options, done) => {
    showErrorsAsPages(scope, kernel, 'docs');
    scope.addHook('onRequest', ({ ip }) => chargePage(kernel, DOCS_CATEGORY, anonymousAt(ip)));
    scope.get('/llms.txt', (request, reply) => {
      text ??= storeBytes(llmsText(site, kernel));
      return sendStored(request, reply, 'text/plain; charset=utf-8', text);
    });
    /** A page, and the same as Markdown. */
    const servePage = (place: DocsPlace, read: () => DocsContent | Promise<DocsContent>) => {
      scope.get(place.path, async (_request, reply) => show(reply, await read(), place));
      scope.get(`${place.path}.md`, async (request, reply) =>
        sendMarkdown(request, reply, markdownOf(await read())),
      );
    };
    servePage({ path: '/docs' }, () => indexPage(site));
    servePage({ path: LIMITS_PATH }, () => limitsPage(apis, kernel.limits));
    for (const api of apis.map((one) => servedApi(one, kernel.limits))) serveApi(api);
    done();

    function serveApi(api: Api): void {
      const { name, versions } = api.protocol;
      const at = `/docs/${name}`;
      servePage({ api, path: at }, () => apiPage(api, kernel));
      servePage({ api, path: `${at}/versions` }, () => versionIndexPage(api));
      const errors = errorsPath(name);
      scope.get(errors, async (_request, reply) =>
        show(reply, errorsPage(api, await site.causesOf(name)), { api, path: errors }),
      );
      scope.get(`${errors}.md`, async (request, reply) =>
        sendMarkdown(request, reply, errorsMarkdown(api, await site.causesOf(name))),
      );
      for (const version of describedVersions(versions)) {
        const path = versionPath(name, version);
        const readPage = memoizeAsync(async () =>
          makeVersionPage(api, version, await readVersionExamples(name)),
        );
        servePage({ api, path }, readPage);
        scope.get(`${at}/${version}`, (_request, reply) => reply.redirect(path, 301));
        scope.get(`${at}/${version}.json`, async (request, reply) =>
          sendStored(request, reply, 'application/json; charset=utf-8', await openApiBytes(api, version)),
        );
      }
      const reference = new ReferencePages(api, kernel);
      scope.get<{ Params: { page: string }; Querystring: { version?: unknown } }>(
        `${at}/:page`,
        async (request, reply) => {
          const { page } = request.params;
          const isMarkdown = page.endsWith('.md');
          const slug = isMarkdown ? page.slice(0, -3) : page;
          const version = reference.versionOf(request.query.version);
          const found = isMarkdown ? await reference.markdown(slug, version) : undefined;
          if (found !== undefined) return sendMarkdown(request, reply, found);
          const content = isMarkdown ? undefined : await reference.page(slug, version);
          if (content !== undefined)
            return show(reply, content, { api, resource: slug, version, path: `${at}/${slug}` });
          const words = `<p>There is no such page. <a href="${at}">${api.protocol.title}</a></p>`;
          return showPage(reply, 404, htmlPage('Not found', words));
        },
      );
    }
  });
}

function sendMarkdown(request: FastifyRequest, reply: FastifyReply, text: string) {
  return sendStored(request, reply, 'text/markdown; charset=utf-8', storeBytes(text));
}

function sendStored(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  type: string,
  { bytes, etag }: StoredBytes,
) {
  reply.headers({
    'content-type': type,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    etag,
  });
  return matchesEtag(headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(bytes);
}
