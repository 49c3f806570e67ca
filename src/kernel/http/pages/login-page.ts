// The HTML pages of the login.
import { escapeHtml, htmlPage, PageScript } from './html.ts';
import { STORAGE_KEY } from './session-shell.ts';

const NEEDS_SCRIPTS =
  '<noscript><p role="alert">Logging in needs scripts: allow them for this server, and load the page again.</p></noscript>';

/** The command that prints a login link, for users without a password. */
const linkHint = (program: string): string =>
  `<p>No password? On the server, <code>${escapeHtml(program)} status --login</code> prints a link that logs you in.</p>`;

export interface LoginForm {
  /** The name typed before, so that it need not be typed again. */
  name?: string;
  problem?: string;
  /** The path to go on to, checked; empty for none. */
  back?: string;
}

export function loginPage({ name = '', problem, back = '' }: LoginForm, program: string): string {
  const alert = problem === undefined ? '' : `<p role="alert" id="problem">${escapeHtml(problem)}</p>`;
  const wrong = problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"';
  const goOn = back === '' ? '' : `<input type="hidden" name="return" value="${escapeHtml(back)}">`;
  return htmlPage(
    'Log in',
    `${NEEDS_SCRIPTS}${alert}<form method="post" action="/session" data-plain>${goOn}
     <label>Username or e-mail
       <input name="name" value="${escapeHtml(name)}" autocomplete="username" autocapitalize="none" spellcheck="false"
         required${name === '' ? ' autofocus' : ''}${wrong}></label>
     <label>Password
       <input name="password" type="password" autocomplete="current-password" required${name === '' ? '' : ' autofocus'}${wrong}></label>
     <button>Log in</button></form>${linkHint(program)}`,
    'card',
  );
}

export function linkPage(link: string): string {
  return htmlPage(
    'Log in',
    `${NEEDS_SCRIPTS}<p>This link logs you in on this browser. It works once.</p>
     <form method="post" action="/session" data-plain><input type="hidden" name="link" value="${escapeHtml(link)}">
     <button autofocus>Log in</button></form>`,
    'card',
  );
}

export function welcomePage(username: string, publicUrl: string): string {
  const bases = ['/api/v2', '/v2', '/'].map(
    (base) => `<li><code>${escapeHtml(publicUrl + base)}</code></li>`,
  );
  return htmlPage(
    `Logged in as ${escapeHtml(username)}`,
    `<p>Pages of this server can now call the three APIs in this browser:</p><ul>${bases.join('')}</ul>
     <p><a href="/docs">What they offer</a></p>
     <form method="post" action="/session/end" data-plain><button>Log out</button></form>`,
    'card',
  );
}

/** Puts the second secret of a new session into the storage of this origin, or removes it, and goes on. */
export const KEEP_SCRIPT = new PageScript(`
'use strict';
const { secret, next } = document.getElementById('kept').dataset;
try {
  if (secret === undefined) localStorage.removeItem('${STORAGE_KEY}');
  else localStorage.setItem('${STORAGE_KEY}', secret);
  location.replace(next);
} catch {
  document.getElementById('refused').hidden = false;
}
`);

/** The answer to a login or a logout. It is not to be kept by anything but the browser's storage. */
export function keepPage({ secret, next }: { secret?: string; next: string }): string {
  const [title, kept] =
    secret === undefined ? ['Logged out', ''] : ['Logged in', ` data-secret="${escapeHtml(secret)}"`];
  return htmlPage(
    title,
    `${NEEDS_SCRIPTS}<p id="kept"${kept} data-next="${escapeHtml(next)}"><a href="${escapeHtml(next)}">Go on</a></p>
     <p id="refused" role="alert" hidden>This browser keeps nothing for this server. Allow it to store data for
       this site, and log in again.</p>${KEEP_SCRIPT.element}`,
    'card',
  );
}

/** Links to the public URL: a form posted from another origin is refused. */
export function messagePage(message: string, publicUrl: string, program: string): string {
  return htmlPage(
    'Not logged in',
    `<p role="alert">${escapeHtml(message)}</p>
     <p><a href="${escapeHtml(publicUrl)}/session">Log in with a password</a></p>${linkHint(program)}`,
    'card',
  );
}
