// Small HTML pages of the server itself: one style, light and dark, without external resources.
import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { PAGE_STYLE } from './page-style.ts';

/** Text of a script for pages, which is allowed by its hash: what users have stored is served from the same origin. */
export class PageScript {
  readonly element: string;
  readonly source: string;

  constructor(text: string) {
    this.element = `<script>${text}</script>`;
    this.source = `'sha256-${hash('sha256', text, 'base64')}'`;
  }
}

/** Browsers apply `form-action` to the redirect that answers a form, too. */
function contentPolicy(formTargets: readonly string[], script: PageScript | undefined): string {
  const scripts =
    script === undefined ? '' : `script-src ${script.source}; connect-src 'self'; base-uri 'none'; `;
  return `default-src 'none'; ${scripts}style-src 'unsafe-inline'; form-action ${["'self'", ...formTargets].join(' ')}; frame-ancestors 'none'`;
}

/** For `formTargets`. A policy knows no addresses of IPv6: those are allowed by their scheme. */
export function formTargetOf(url: string): string {
  const { origin, protocol, host } = new URL(url);
  return /^[a-z0-9.-]+(?::\d+)?$/.test(host) ? origin : protocol;
}

export const MARK = `<svg class="mark" viewBox="0 0 22 22" aria-hidden="true"><rect width="22" height="22" rx="6"/><path
 d="M4 14.5h14M7.5 14.5c4 0 3-7 7-7H18"/><circle cx="6.5" cy="8" r="2"/></svg>`;

/** For scripts of pages: where the server is, with a slash at the end, and where pages keep the secret of the session. */
export const ROOT_SCRIPT = `const root = document.documentElement.dataset.root;
const storageKey = 'signalbox_session' + (root === '/' ? '' : ':' + root.slice(0, -1));`;

/** Lines and switches of a signal box, beside the login on wide screens. */
const TRACKS = `<div class="tracks" aria-hidden="true"><svg viewBox="0 0 600 800" preserveAspectRatio="xMidYMid slice"><path
 d="M-20 80H620M-20 200H620M-20 320H620M-20 440H620M-20 560H620M-20 680H620M100 200l80 120M380 80l-80 120M460 560l80-120M60 680l80-120"/><path
 class="a" d="M-20 440H220l80 120H420l80 120H620"/><path class="b" d="M-20 200H140"/><path class="c" d="M340 320l80 120H620"/><circle
 cx="220" cy="440" r="8" class="a"/><circle cx="300" cy="560" r="8" class="a"/><circle cx="500" cy="680" r="8" class="a"/><circle
 cx="140" cy="200" r="8" class="b"/><circle cx="340" cy="320" r="8" class="c"/></svg></div>`;

/**
 * `body` is HTML: external text in it must be escaped by `escapeHtml`. A card is a small page with one purpose; a login is one
 * with a picture beside it. A text that belongs to the console has its bar above it: see `framedPage`.
 */
export function htmlPage(title: string, body: string, look: 'card' | 'text' | 'login' = 'text'): string {
  const picture = look === 'login' ? TRACKS : '';
  const isSmall = look !== 'text';
  const brand = isSmall ? `<p class="brand">${MARK}Signalbox</p>` : '';
  const content = `<main>${brand}<h1>${title}</h1>${body}</main>${picture}`;
  return htmlDocument(title, look === 'login' ? 'card login' : look, content);
}

/** In the frame of the console. `way` is HTML: links to the pages above this one. */
export function framedPage(title: string, body: string, way: string): string {
  const bar = `<header class="bar"><a class="brand" href="/console">${MARK}Signalbox</a><nav aria-label="Breadcrumbs">${way}</nav></header>`;
  return htmlDocument(title, 'framed', `${bar}<main><h1>${title}</h1>${body}</main>`);
}

function htmlDocument(title: string, look: string, content: string): string {
  return `<!doctype html><html lang="en" data-root="/"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} · Signalbox</title><style>${PAGE_STYLE}</style></head>
<body class="${look}">${content}</body></html>`;
}

/** The cells of a row of a stacked table stand below each other on a narrow screen, without their heads. */
export function htmlTable(heads: string[], rows: string[][], look: 'plain' | 'stacked' = 'plain'): string {
  const line = (tag: string, cells: string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  const body = rows.map((cells) => line('td', cells)).join('\n');
  const start = look === 'plain' ? '<table>' : '<table class="stacked">';
  return `<div class="wide">${start}<thead>${line('th', heads)}</thead><tbody>${body}</tbody></table></div>`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** Text between backticks is code. */
export function escapeWithCode(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** `formTargets` are sources of other sites that the answer to a form of the page may lead to. */
export function showPage(
  reply: FastifyReply,
  status: number,
  page: string,
  formTargets: readonly string[] = [],
) {
  return reply.code(status).headers(pageHeaders(formTargets)).send(page);
}

/** `page` has the script in it. */
export function showScriptedPage(reply: FastifyReply, status: number, page: string, script: PageScript) {
  return reply.code(status).headers(pageHeaders([], script)).send(page);
}

export function pageHeaders(formTargets: readonly string[] = [], script?: PageScript) {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentPolicy(formTargets, script),
    'cache-control': 'no-store',
    // Same-origin: without a referrer browsers would send forms with a null Origin, and other sites must not see the URL.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  };
}
