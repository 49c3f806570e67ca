// Small HTML pages of the server itself: one style, light and dark, without external resources.
import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

const STYLE = `
  :root { color-scheme: light dark; --accent: light-dark(#0b5fb0, #7ab8ff); --line: light-dark(#d5dae0, #3a4048);
    --paper: light-dark(#fff, #1c2024); }
  * { box-sizing: border-box; }
  body { margin: 0; min-height: 100vh; padding: 1rem; font: 16px/1.5 system-ui, sans-serif;
    background: light-dark(#f4f6f8, #14171a); color: light-dark(#1b1f24, #e8eaed); }
  body.card { display: grid; place-items: center; }
  main { width: 100%; max-width: 56rem; margin: 0 auto; padding: 2rem; border: 1px solid var(--line); border-radius: 12px;
    background: var(--paper); }
  body.card main { max-width: 24rem; }
  h1 { margin: 0 0 1rem; font-size: 1.25rem; }
  h2 { margin: 2rem 0 .5rem; font-size: 1.0625rem; }
  h2:target { color: var(--accent); }
  p, form, .wide { margin: 0 0 1rem; }
  main > :last-child { margin-bottom: 0; }
  label { display: block; margin-bottom: 1rem; font-size: .875rem; }
  input, select, textarea { display: block; width: 100%; margin-top: .25rem; padding: .5rem .75rem; font: inherit; color: inherit;
    background: transparent; border: 1px solid light-dark(#767f89, #7d8691); border-radius: 8px; }
  textarea { min-height: 12rem; font: .875rem/1.5 monospace; }
  textarea.short { min-height: 5rem; }
  fieldset { margin: 0 0 1rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; }
  input[type=radio], input[type=checkbox] { display: inline-block; width: auto; margin: 0 .5rem 0 0; accent-color: var(--accent); }
  [role=alert] { color: light-dark(#b3261e, #ffb4ab); }
  button { width: 100%; padding: .6rem; font: inherit; font-weight: 600; border: 0; border-radius: 8px;
    background: var(--accent); color: light-dark(#fff, #0b1520); cursor: pointer; }
  button.danger { background: light-dark(#b3261e, #ffb4ab); }
  button.plain { background: transparent; color: inherit; border: 1px solid light-dark(#767f89, #7d8691); }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
  a { color: var(--accent); }
  ul { padding-left: 1.25rem; }
  code { font-size: .875em; overflow-wrap: anywhere; }
  .wide { overflow-x: auto; }
  h3 { margin: 1.75rem 0 .5rem; font-size: 1rem; }
  h3:target { color: var(--accent); }
  pre { margin: 0; padding: .75rem; overflow-x: auto; font-size: .8125rem; border: 1px solid var(--line); border-radius: 8px; }
  pre code { font-size: inherit; overflow-wrap: normal; }
  mark { color: inherit; background: light-dark(#ffe9b8, #5a4a12); }
  figure { margin: 0; min-width: 0; }
  figcaption { margin-bottom: .25rem; font-size: .875rem; }
  .pair { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); margin: 0 0 1rem; }
  details { margin: 0 0 1rem; }
  summary { cursor: pointer; }
  .columns { columns: 15rem; margin-top: .5rem; }
  .columns label { break-inside: avoid; }
  td form { margin: 0; }
  td button { padding: .25rem .75rem; }
  [role=status].late { animation: appear 0s .4s both; }
  @keyframes appear { from { visibility: hidden; } }
  details ul { margin: .5rem 0 0; }
  table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
  th, td { padding: .375rem .75rem .375rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
  .stacked td + td code { overflow-wrap: break-word; }
  @media (max-width: 40rem) {
    body { padding: .5rem; }
    main { padding: 1rem; }
    table { font-size: .875rem; }
    th, td { padding-right: .5rem; }
    td:first-child { overflow-wrap: anywhere; }
    .stacked thead { display: none; }
    .stacked tr { display: block; padding: .375rem 0; border-bottom: 1px solid var(--line); }
    .stacked td { display: block; padding: 0; border: 0; }
  }
`;

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

/** `body` is HTML: external text in it must be escaped by `escapeHtml`. A card is a small page with one purpose. */
export function htmlPage(title: string, body: string, look: 'card' | 'text' = 'text'): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} · Signalbox</title><style>${STYLE}</style></head>
<body class="${look}"><main><h1>${title}</h1>${body}</main></body></html>`;
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
