// The HTML of registering an app by its manifest.
import { escapeHtml, htmlPage } from '../../kernel/http/pages/html.ts';
import type { AppManifest } from '../app-manifests/manifest.ts';
import type { SentManifest } from '../app-manifests/packed-manifest.ts';
import { eventList, outsideLink, permissionList } from './asked-rights.ts';
import { hiddenFields } from './page-forms.ts';

/** What is sent along from page to page, and what it asks for. */
export interface ReadManifest extends SentManifest {
  manifest: AppManifest;
}

export function manifestFormPage(path: string): string {
  return htmlPage(
    'Register an app',
    `<p>Sites that have an app for you send its manifest to this address. You can also enter one:</p>
     <form method="post" action="${escapeHtml(path)}"><label>Manifest, as JSON
       <textarea name="manifest" required spellcheck="false" autocapitalize="none"></textarea></label>
     <button>Continue</button></form>`,
  );
}

export interface ConsentForm {
  /** Where it is sent. */
  path: string;
  token: string;
  /** The account that will own the app. */
  owner: string;
  /** As typed before. */
  name: string;
  problem?: string;
}

export function consentPage(
  { text, state, manifest }: ReadManifest,
  { path, token, owner, name, problem }: ConsentForm,
): string {
  const alert = problem === undefined ? '' : `<p role="alert" id="problem">${escapeHtml(problem)}</p>`;
  const wrong = problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"';
  const { redirect } = manifest.urls;
  const next =
    redirect === null
      ? '<p>Afterwards this page shows the code that turns the manifest into an app.</p>'
      : `<p>Afterwards you go on to <code>${escapeHtml(redirect)}</code>, which gets the keys of the app.</p>`;
  return htmlPage(
    `Register an app for ${escapeHtml(owner)}`,
    `${alert}<p>Nothing has been registered so far. This app asks for:</p>${askedFor(manifest)}${next}
     <form method="post" action="${escapeHtml(path)}">${hiddenFields({ manifest: text, state, token })}
     <label>Name of the app
       <input name="name" value="${escapeHtml(name)}" maxlength="34" required autocomplete="off"${wrong}></label>
     <button>Register the app for ${escapeHtml(owner)}</button></form>`,
  );
}

/** For manifests without an address to go on to. */
export function codePage(code: string, publicUrl: string): string {
  return htmlPage(
    'You agreed',
    `<p>This call turns the manifest into an app, and prints its keys. It works once, within an hour:</p>
     <p><code>curl -X POST ${escapeHtml(publicUrl)}/app-manifests/${escapeHtml(code)}/conversions</code></p>`,
  );
}

function askedFor({
  description,
  externalUrl,
  isPublic,
  permissions,
  events,
  urls,
  hook,
}: AppManifest): string {
  const about = description === null ? '' : `<p>${escapeHtml(description)}</p>`;
  const hookLine =
    hook.url === null
      ? '<p>It has no webhook.</p>'
      : `<p>Events are sent to <code>${escapeHtml(hook.url)}</code>${hook.isActive ? '' : ' once the webhook is turned on'}.</p>`;
  const setup =
    urls.setup === null ? '' : `<p>Who installs it goes on to <code>${escapeHtml(urls.setup)}</code>.</p>`;
  return `${about}<p>Website: ${outsideLink(externalUrl)}</p>
    <p>${isPublic ? 'Anybody on this server can install it.' : 'Only its owner can install it.'}</p>
    ${permissionList(permissions)}${eventList(events)}${hookLine}${setup}`;
}
