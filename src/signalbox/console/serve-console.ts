// Serves the console: its page with a content policy of its own, its files, and the way to it from the addresses of the host.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { anonymousAt } from '../../kernel/identity/caller.ts';
import { escapeHtml, htmlPage, pageHeaders, showPage } from '../../kernel/http/pages/html.ts';
import { chargePage, DOCS_CATEGORY, showErrorsAsPages } from '../../kernel/http/pages/session-pages.ts';
import { cookieOf, SESSION_HEADER } from '../../kernel/identity/sessions/session-caller.ts';
import { loginPathFrom } from '../../kernel/identity/sessions/session-link.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { consolePathOf } from './host-addresses.ts';

const A_YEAR = 'public, max-age=31536000, immutable';
/** Chosen in the console, so that the page has its colours before its script runs. */
const THEME_COOKIE = /(?:^|;\s*)signalbox_theme=(?<theme>light|dark)(?:;|$)/;

export function serveConsole(app: FastifyInstance, kernel: Kernel): void {
  void app.register((scope, _options, done) => {
    showErrorsAsPages(scope, kernel, 'console');
    scope.get<{ Params: { name: string } }>('/console/assets/:name', async (request, reply) => {
      const { headers, params } = request;
      const asset = await kernel.services.console.readAsset(params.name, headers['accept-encoding'] ?? '');
      if (asset === undefined) return showPage(reply, 404, missingPage());
      return reply
        .headers({
          'content-type': asset.type,
          'cache-control': A_YEAR,
          vary: 'accept-encoding',
          'x-content-type-options': 'nosniff',
          ...(asset.encoding !== undefined && { 'content-encoding': asset.encoding }),
        })
        .send(asset.bytes);
    });
    const show = (request: FastifyRequest, reply: FastifyReply) => showConsole(request, reply, kernel);
    scope.get('/console', show);
    scope.get('/console/*', show);
    done();
  });
  const isReserved = (word: string) => app.reservedPathSegments.has(word);
  app.apis.setPageFinder((request) =>
    isBrowser(request) ? consolePathOf(request.url, isReserved) : undefined,
  );
}

/** A credential always means the API. */
function isBrowser({ method, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (headers.authorization !== undefined || headers[SESSION_HEADER] !== undefined) return false;
  return prefersHtml(headers.accept ?? '');
}

/** Browsers name HTML first when they open an address. */
function prefersHtml(accept: string): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/.test(accept);
}

async function showConsole(request: FastifyRequest, reply: FastifyReply, kernel: Kernel) {
  const { url, headers, ip } = request;
  const { bundler } = kernel.services.console;
  if (bundler !== undefined && headers['sec-fetch-dest'] !== 'document') return passOn(bundler, url, reply);
  await chargePage(kernel, DOCS_CATEGORY, anonymousAt(ip));
  if (cookieOf(headers.cookie, kernel.publicUrl) === undefined)
    return reply.redirect(loginPathFrom(url), 303);
  const page = await kernel.services.console.readPage();
  if (page === undefined) return showWaitingPage(reply, kernel);
  const nonce = randomBytes(16).toString('base64');
  return reply
    .headers({ ...pageHeaders(), 'content-security-policy': contentPolicy(nonce, kernel, bundler) })
    .send(fillIn(page, nonce, themeOf(headers.cookie)));
}

/** A source, from the bundler. */
async function passOn(bundler: string, url: string, reply: FastifyReply) {
  const response = await fetch(bundler + url);
  const type = response.headers.get('content-type') ?? 'text/plain';
  return reply
    .code(response.status)
    .headers({ 'content-type': type, 'cache-control': 'no-store' })
    .send(Buffer.from(await response.arrayBuffer()));
}

function themeOf(cookies = ''): string | undefined {
  return THEME_COOKIE.exec(cookies)?.groups?.['theme'];
}

function fillIn(page: string, nonce: string, theme: string | undefined): string {
  return page
    .replace('<html lang="en">', theme === undefined ? '$&' : `<html lang="en" data-theme="${theme}">`)
    .replaceAll('"NONCE"', `"${nonce}"`);
}

/**
 * Scripts run by their nonce alone, because what users have stored is served from the same origin; styles, images and frames of
 * this origin are allowed, since such content is always sent with a sandbox.
 */
function contentPolicy(
  nonce: string,
  { contentOrigin }: Pick<Kernel, 'contentOrigin'>,
  bundler: string | undefined,
): string {
  const content = contentOrigin === undefined ? '' : ` ${contentOrigin.url}`;
  // It says by a socket which sources have changed.
  const socket = bundler === undefined ? '' : ` ${bundler.replace('http', 'ws')}`;
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:${content}`,
    `media-src 'self'${content}`,
    `frame-src 'self'${content}`,
    "font-src 'self'",
    `connect-src 'self'${socket}`,
    "form-action 'self'",
    "base-uri 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function missingPage(): string {
  return htmlPage(
    'Not found',
    '<p>There is no such file.</p><p><a href="/console">To the console</a></p>',
    'card',
  );
}

/** Loads itself again while the console is being built, and so becomes it. */
function showWaitingPage(reply: FastifyReply, { services, program }: Kernel) {
  const { state } = services.console;
  if (state.kind === 'building') {
    const words =
      '<p role="status">This happens once after an update and takes about half a minute. This page loads itself again. ' +
      'The APIs work meanwhile.</p>';
    return showPage(reply.header('refresh', '2'), 503, htmlPage('The console is being built', words, 'card'));
  }
  const reason = state.kind === 'failed' ? state.reason : 'It was not built when the server started.';
  const page = htmlPage(
    'There is no console',
    `<p role="alert">${escapeHtml(reason)}</p>
     <p>The APIs work without it. Mend this and start the server again (<code>${escapeHtml(program)} serve</code>).</p>
     <p><a href="/docs">What the APIs offer</a></p>`,
    'card',
  );
  return showPage(reply, 503, page);
}
