// The pages of logging in, as HTML.
import { escapeHtml, htmlPage } from '../html.ts';

export function loginPage({ link }: { link?: string }): string {
  const fields =
    link === undefined
      ? `<label>Username or e-mail<input name="name" autocomplete="username" required autofocus></label>
         <label>Password<input name="password" type="password" autocomplete="current-password" required></label>`
      : `<p>This link logs you in once.</p><input type="hidden" name="link" value="${escapeHtml(link)}">`;
  return htmlPage('Log in', `<form method="post" action="/session">${fields}<button>Log in</button></form>`, 'card');
}

export function welcomePage(username: string, publicUrl: string): string {
  const bases = ['/api/v2', '/v2', '/'].map((base) => `<li><code>${escapeHtml(publicUrl + base)}</code></li>`);
  return htmlPage(
    `Logged in as ${escapeHtml(username)}`,
    `<p>This browser can now call the three APIs:</p><ul>${bases.join('')}</ul>
     <p><a href="/docs">What they offer</a></p>
     <form method="post" action="/session/end"><button>Log out</button></form>`,
    'card',
  );
}

export function messagePage(message: string): string {
  return htmlPage(
    'Not logged in',
    `<p role="alert">${escapeHtml(message)}</p><p><a href="/session">Log in with a password</a></p>`,
    'card',
  );
}
