// Serves the guides as pages, without a token, within the budget of the documentation.
import type { FastifyInstance } from 'fastify';
import { escapeHtml, htmlPage, showPage } from '../../kernel/http/pages/html.ts';
import { chargePage, DOCS_CATEGORY, showErrorsAsPages } from '../../kernel/http/pages/session-pages.ts';
import { anonymousAt } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { readGuides } from './guide-files.ts';
import { GUIDES_PATH, type Guide } from './guide.ts';

export function serveGuides(app: FastifyInstance, kernel: Kernel): void {
  /** By name; there are as many as files. */
  const pages = new Map<string, string>();
  void app.register((scope, _options, done) => {
    showErrorsAsPages(scope, kernel, 'guides');
    scope.addHook('onRequest', ({ ip }) => chargePage(kernel, DOCS_CATEGORY, anonymousAt(ip)));
    scope.get(GUIDES_PATH, async (_request, reply) => showPage(reply, 200, await indexPage()));
    scope.get<{ Params: { name: string } }>(`${GUIDES_PATH}/:name`, async ({ params }, reply) => {
      const guide = (await readGuides()).get(params.name);
      if (guide === undefined) return showPage(reply, 404, missingPage());
      const page = pages.get(guide.name) ?? (await guidePage(guide, kernel));
      pages.set(guide.name, page);
      return showPage(reply, 200, page);
    });
    done();
  });
}

async function indexPage(): Promise<string> {
  const items = [...(await readGuides()).values()].map(
    ({ name, title }) => `<li><a href="${GUIDES_PATH}/${name}">${escapeHtml(title)}</a></li>`,
  );
  return htmlPage('Guides', `<p><a href="/docs">Documentation</a></p><ul>${items.join('')}</ul>`);
}

function missingPage(): string {
  return htmlPage(
    'Not found',
    `<p>There is no such guide.</p><p><a href="${GUIDES_PATH}">All guides</a></p>`,
  );
}

/** Rendered in a thread, which takes no time of calls. */
async function guidePage(guide: Guide, { services }: Kernel): Promise<string> {
  const html = await services.markdown.render(guide.text);
  const body =
    html === undefined ? `<pre>${escapeHtml(guide.text)}</pre>` : withAnchors(withLinks(html), guide);
  return htmlPage(
    escapeHtml(guide.title),
    `<p><a href="${GUIDES_PATH}">All guides</a></p><div class="guide">${body}</div>`,
  );
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
