// The frame of every page of the documentation: search, navigation over all APIs, and the page itself.
import type { FastifyReply } from 'fastify';
import { escapeHtml, MARK, showScriptedPage } from '../http/pages/html.ts';
import { PAGE_STYLE } from '../http/pages/page-style.ts';
import type { Api } from '../http/protocol.ts';
import { DOCS_SCRIPT } from './docs-script.ts';
import { DOCS_STYLE } from './docs-style.ts';
import { verb } from './reference/resource-page.ts';
import { resourcePath, resourcesOf, shapesIn } from './reference/resources.ts';

/** `body` is HTML: text of others in it is escaped. */
export interface DocsContent {
  title: string;
  body: string;
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

export function showDocs(reply: FastifyReply, apis: readonly Api[], content: DocsContent, place: DocsPlace) {
  return showScriptedPage(reply, 200, frameDocs(apis, content, place), DOCS_SCRIPT);
}

function frameDocs(apis: readonly Api[], { title, body }: DocsContent, place: DocsPlace): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Docs · Signalbox</title><style>${PAGE_STYLE}${DOCS_STYLE}</style></head>
<body class="docs"><header class="docs__top"><a class="brand" href="/docs">${MARK}Signalbox docs</a>
<form action="/docs/search" role="search"><input name="q" type="search" aria-label="Search the documentation" placeholder="Search" value="${escapeHtml(place.search ?? '')}"></form>
<a href="/console">Console</a></header>
<div class="docs__cols"><nav class="docs__nav" aria-label="Documentation">${navigation(apis, place)}</nav>
<main id="main"><h1>${escapeHtml(title)}</h1>${body}</main></div>${DOCS_SCRIPT.element}</body></html>`;
}

function navigation(apis: readonly Api[], place: DocsPlace): string {
  const start = [link('/docs', 'Overview', place), link('/docs/guide', 'Guides', place)];
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
  return `${own}${listOf([...resources, link(`/docs/${name}/versions`, 'Versions', place)])}`;
}

function link(href: string, text: string, { path }: DocsPlace): string {
  return `<a href="${href}"${path === href ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a>`;
}

function listOf(items: readonly string[]): string {
  return `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
}
