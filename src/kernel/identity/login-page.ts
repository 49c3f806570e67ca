// The HTML pages of the login.
import { escapeHtml, htmlPage } from '../html.ts';

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
    `${alert}<form method="post" action="/session">${goOn}
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
    `<p>This link logs you in on this browser. It works once.</p>
     <form method="post" action="/session"><input type="hidden" name="link" value="${escapeHtml(link)}">
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
    `<p>This browser can now call the three APIs:</p><ul>${bases.join('')}</ul>
     <p><a href="/docs">What they offer</a></p>
     <form method="post" action="/session/end"><button>Log out</button></form>`,
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
