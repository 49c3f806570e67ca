// The frame of every page of the documentation: search, navigation over all APIs, and the page itself.
import type { FastifyReply } from 'fastify';
import { escapeHtml, MARK, showScriptedPage } from '../http/pages/html.ts';
import { PAGE_STYLE } from '../http/pages/page-style.ts';
import type { Api } from '../http/protocol.ts';
import { DOCS_SCRIPT } from './docs-script.ts';
import { DOCS_STYLE } from './docs-style.ts';
import { errorsPath, type ErrorCauses } from './error-catalogue.ts';
import { verb } from './reference/resource-page.ts';
import { resourcePath, resourcesOf, shapesIn } from './reference/resources.ts';

/** Of the page with the limits of all APIs. */
export const LIMITS_PATH = '/docs/limits';

/** `body` is HTML: text of others in it is escaped. */
export interface DocsContent {
  title: string;
  body: string;
}

/** The documentation as a whole: what it describes, and what the layer above adds to it. */
export interface DocsSite {
  apis: readonly Api[];
  /** Further parts, in the navigation; some of them are the beginning of one API. */
  links: readonly { href: string; title: string; api?: string }[];
  /** Of the page that answers the search with the parameter `q`. */
  searchPath: string;
  /** Takes a POST of a name, an expiry and a policy, and answers with a token. */
  tokenPath: string;
  /** Causes of errors that the API with this name does not describe itself. */
  causesOf(api: string): Promise<ErrorCauses>;
}

/** Where in the documentation a page is. */
export interface DocsPlace {
  api?: Api;
  /** The slug of a resource. */
  resource?: string;
  version?: string;
  /** What was searched for. */
  search?: string;
  path: string;
}

export function showDocs(reply: FastifyReply, site: DocsSite, content: DocsContent, place: DocsPlace) {
  return showScriptedPage(reply, 200, frameDocs(site, content, place), DOCS_SCRIPT);
}

function frameDocs(site: DocsSite, { title, body }: DocsContent, place: DocsPlace): string {
  return `<!doctype html><html lang="en" data-root="/"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Docs · Signalbox</title>${place.search === undefined ? `<link rel="alternate" type="text/markdown" href="${escapeHtml(place.path)}.md">` : ''}<style>${PAGE_STYLE}${DOCS_STYLE}</style></head>
<body class="docs" data-token-path="${escapeHtml(site.tokenPath)}"><header class="docs__top"><a class="brand" href="/docs">${MARK}Signalbox <span>/ Docs</span></a>
<form action="${escapeHtml(site.searchPath)}" role="search"><input name="q" type="search" aria-label="Search the documentation" placeholder="Search docs… (?)" value="${escapeHtml(place.search ?? '')}"></form>
<a class="out" href="/console">Console</a></header>
<div class="docs__cols"><nav class="docs__nav" aria-label="Documentation">${navigation(site, place)}</nav>
<main id="main"><h1>${escapeHtml(title)}</h1>${body}</main></div>${DOCS_SCRIPT.element}</body></html>`;
}

function navigation({ apis, links }: DocsSite, place: DocsPlace): string {
  const start = [
    { href: '/docs', title: 'Overview' },
    ...links,
    { href: LIMITS_PATH, title: 'Rate limits' },
  ].map(({ href, title }) => link(href, title, place));
  return `${listOf(start)}<p class="head">Reference</p>${listOf(apis.map((api) => apiItem(api, place)))}`;
}

function apiItem(api: Api, place: DocsPlace): string {
  const { name, title } = api.protocol;
  const own = link(`/docs/${name}`, title, place);
  if (place.api?.protocol.name !== name) return own;
  const resources = resourcesOf(api).map((resource) => {
    const item = link(resourcePath(name, resource.slug), resource.name, place);
    if (resource.slug !== place.resource) return item;
    const version = place.version ?? api.protocol.versions.names.at(-1)!;
    const operations = shapesIn(resource, version).map(
      ({ id, method, summary }) =>
        `<a href="#${escapeHtml(encodeURIComponent(id))}">${verb(method)}<span>${escapeHtml(summary)}</span></a>`,
    );
    return `${item}${listOf(operations)}`;
  });
  const more = [link(errorsPath(name), 'Errors', place), link(`/docs/${name}/versions`, 'Versions', place)];
  return `${own}${listOf([...resources, ...more])}`;
}

function link(href: string, text: string, { path }: DocsPlace): string {
  return `<a href="${href}"${path === href ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a>`;
}

function listOf(items: readonly string[]): string {
  return `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
}
