// Serves what the documentation has beside its reference: guides as pages and as Markdown, and the search over all of it. Without a
// token, within the budget of the documentation.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { escapeHtml, htmlPage, showPage } from '../../kernel/http/pages/html.ts';
import { chargePage, DOCS_CATEGORY, showErrorsAsPages } from '../../kernel/http/pages/session-pages.ts';
import { anonymousAt } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { showDocs, type DocsContent, type DocsSite } from '../../kernel/openapi/docs-frame.ts';
import { markdownOf } from '../../kernel/openapi/docs-markdown.ts';
import { DOCS_KINDS } from '../search/docs-index.ts';
import { parseQuery } from '../search/terms.ts';
import { SEARCH_PATH } from './docs-site.ts';
import { readGuides } from './guide-files.ts';
import { groupGuides, summaryOf } from './guide-groups.ts';
import { GUIDES_PATH, type Guide } from './guide.ts';

const MAX_SEARCH = 200;
/** Of each kind. */
const MAX_HITS = 50;

export function serveGuides(app: FastifyInstance, site: DocsSite, kernel: Kernel): void {
  /** By name; there are as many as files. */
  const pages = new Map<string, DocsContent>();
  void app.register((scope, _options, done) => {
    showErrorsAsPages(scope, kernel, 'guides');
    scope.addHook('onRequest', ({ ip }) => chargePage(kernel, DOCS_CATEGORY, anonymousAt(ip)));
    scope.get(GUIDES_PATH, async (_request, reply) =>
      showDocs(reply, site, await guideList(), { path: GUIDES_PATH }),
    );
    scope.get(`${GUIDES_PATH}.md`, async (_request, reply) =>
      sendMarkdown(reply, markdownOf(await guideList())),
    );
    scope.get<{ Params: { name: string } }>(`${GUIDES_PATH}/:name`, async ({ params: { name } }, reply) => {
      const isMarkdown = name.endsWith('.md');
      const guide = (await readGuides()).get(isMarkdown ? name.slice(0, -3) : name);
      if (guide === undefined) return showPage(reply, 404, missingPage());
      if (isMarkdown) return sendMarkdown(reply, guide.markdown);
      const page = pages.get(name) ?? (await guidePage(guide, kernel));
      pages.set(name, page);
      return showDocs(reply, site, page, { path: `${GUIDES_PATH}/${name}` });
    });
    scope.get<{ Querystring: { q?: unknown } }>(SEARCH_PATH, async ({ query }, reply) => {
      const search = typeof query.q === 'string' ? query.q.slice(0, MAX_SEARCH) : '';
      return showDocs(reply, site, await foundPage(search, kernel), { path: SEARCH_PATH, search });
    });
    done();
  });
}

function sendMarkdown(reply: FastifyReply, text: string) {
  return reply
    .headers({ 'content-type': 'text/markdown; charset=utf-8', 'x-content-type-options': 'nosniff' })
    .send(text);
}

async function guideList(): Promise<DocsContent> {
  const parts = groupGuides(await readGuides()).map(({ title, guides }) => {
    const items = guides.map(
      (guide) =>
        `<li><p><a href="${GUIDES_PATH}/${guide.name}">${escapeHtml(guide.title)}</a></p><p class="muted">${escapeHtml(summaryOf(guide))}</p></li>`,
    );
    return `<section><h2>${title}</h2><ul class="hits">${items.join('')}</ul></section>`;
  });
  return { title: 'Guides', body: parts.join('') };
}

async function foundPage(search: string, { services }: Kernel): Promise<DocsContent> {
  const query = parseQuery(search);
  const found = [];
  for (const kind of DOCS_KINDS) found.push(...(await services.docsIndex.find(kind, query, MAX_HITS)));
  const items = found
    .toSorted((one, other) => one.rank - other.rank)
    .map(
      ({ item: { title, detail, path } }) =>
        `<li><p><a href="${escapeHtml(path)}">${escapeHtml(title)}</a></p><p class="muted">${escapeHtml(detail ?? '')}</p></li>`,
    );
  const nothing =
    search === '' ? '<p>Type what you look for.</p>' : '<p>Nothing was found. Try fewer words.</p>';
  return {
    title: search === '' ? 'Search' : `Search: ${search}`,
    body: items.length === 0 ? nothing : `<ul class="hits">${items.join('')}</ul>`,
  };
}

function missingPage(): string {
  return htmlPage(
    'Not found',
    `<p>There is no such guide.</p><p><a href="${GUIDES_PATH}">All guides</a></p>`,
  );
}

/** Rendered in a thread, which takes no time of calls. */
async function guidePage(guide: Guide, { services }: Kernel): Promise<DocsContent> {
  const html = await services.markdown.render(guide.text);
  const body =
    html === undefined ? `<pre>${escapeHtml(guide.text)}</pre>` : withAnchors(withLinks(html), guide);
  const links = `<p class="links"><a href="${GUIDES_PATH}">All guides</a> <a href="${GUIDES_PATH}/${guide.name}.md">Markdown</a></p>`;
  return { title: guide.title, body: `${links}<div class="guide">${body}</div>` };
}

/** Links between guides lead to their pages. Other files of the sources are not on the server: their names stay. */
function withLinks(html: string): string {
  return html
    .replaceAll(
      /<a rel="nofollow noopener" href="([a-z0-9-]+)\.md(#[^"]*)?">/g,
      (_all, name: string, anchor = '') => `<a href="${GUIDES_PATH}/${name}${anchor}">`,
    )
    .replaceAll(/<a rel="nofollow noopener" href="\.\.?\/[^"]*">(.*?)<\/a>/gs, '$1')
    .replaceAll('<table>', '<div class="wide"><table class="stacked">')
    .replaceAll('</table>', '</table></div>');
}

/** The headings are in the order of the sections. */
function withAnchors(html: string, { sections }: Guide): string {
  let next = 0;
  return html.replaceAll(/<(h[234])>/g, (tag, name: string) => {
    const section = sections[next++];
    return section === undefined ? tag : `<${name} id="${escapeHtml(section.anchor)}">`;
  });
}
