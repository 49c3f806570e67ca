// The HTML on which the owner of an app changes it, and what its forms send, read and checked.
import { escapeHtml, htmlPage, htmlTable } from '../../kernel/http/pages/html.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { checkedAddress, checkedEvents, checkHookAddress } from '../app-manifests/manifest.ts';
import { fingerprintOf } from '../apps/change-app.ts';
import type { HostApp } from '../apps/app.ts';
import { APP_PERMISSION_NAMES, levelsOf, checkedPermissions, type AppRights } from '../apps/permissions.ts';
import type { AppKey } from '../apps/store.ts';
import { APP_EVENT_NAMES } from '../hooks/hook.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import {
  appFrame,
  eventList,
  permissionLevel,
  permissionList,
  permissionName,
  hiddenFields,
} from './page-forms.ts';

export function ownAppsPage(
  owner: RepositoryOwner,
  apps: readonly HostApp[],
  { path, turns }: { path: string; turns: string },
): string {
  const lines = apps.map(
    ({ slug, name }) => `<li><a href="${escapeHtml(path)}/${slug}">${escapeHtml(name)}</a></li>`,
  );
  return appFrame(
    `Apps of ${escapeHtml(owner.login)}`,
    `${lines.length === 0 ? '<p>There are none.</p>' : `<ul>${lines.join('')}</ul>`}
     ${turns === '' ? '' : `<p>${turns}</p>`}<p><a href="${escapeHtml(path)}/new">Register an app</a></p>`,
  );
}

interface AppSettings {
  app: HostApp;
  keys: readonly AppKey[];
  /** Of the installations, of which not all may have been counted. */
  installations: string;
  /** Where the forms are sent. */
  path: string;
  token: string;
}

export function appSettingsPage({ app, keys, installations, path, token }: AppSettings): string {
  const form = (action: string, inner: string, button: string, look = '') =>
    `<form method="post" action="${escapeHtml(path)}">${hiddenFields({ token, action })}${inner}
     <button${look && ` class="${look}"`}>${button}</button></form>`;
  const { hook, urls, slug } = app;
  return appFrame(
    `Settings of ${escapeHtml(app.name)}`,
    `<p>Id <code>${app.number}</code>, client id <code>${escapeHtml(app.clientId)}</code>, installed on ${installations}.
       <a href="/apps/${slug}">The page of the app</a></p>
     <section><h2>About</h2>
     ${form(
       'about',
       `${textField('Website', 'url', app.externalUrl, 'required type="url" maxlength="2048"')}
        <label>Description<textarea class="short" name="description" maxlength="2000">${escapeHtml(app.description ?? '')}</textarea></label>
        ${textField('Where people go after installing it', 'setup_url', urls.setup ?? '', 'type="url" maxlength="2048"')}
        ${checkbox('Also after changes of an installation', 'setup_on_update', urls.setupOnUpdate)}
        ${checkbox('Anybody on this server can install it. Without this, accounts that have it keep it.', 'public', app.isPublic)}`,
       'Save what it says of itself',
     )}</section>
     <section><h2>Webhook</h2>
     ${form(
       'hook',
       `${textField('Where events are sent', 'hook_url', hook.url ?? '', 'type="url" maxlength="2048"')}
        ${checkbox('Send events. Without this, those that wait are not sent later either.', 'hook_active', hook.isActive)}`,
       'Save the webhook',
     )}
     <p>${hook.secret === null ? 'Bodies are not signed.' : 'Bodies are signed with a secret, which is not shown again.'}
        A new one is used at once, and the one before no more.</p>
     ${form('hook-secret', '', 'Make a new webhook secret', 'plain')}</section>
     <section><h2>Permissions and events</h2>
     <p>Installations lose at once what you take away, and their tokens with them. What you add waits until each account
        agrees to it.</p>
     ${permissionList(app.permissions)}${eventList(app.events)}
     ${form('rights', rightFields(app), 'Save permissions and events')}</section>
     <section><h2>Private keys</h2>
     ${htmlTable(
       ['Fingerprint', 'Made', ''],
       keys.map((key) => [
         `<code>${escapeHtml(fingerprintOf(key.publicKey))}</code>`,
         new Date(key.createdAt).toISOString().slice(0, 10),
         keys.length === 1
           ? ''
           : form('revoke-key', hiddenFields({ key: String(key.number) }), 'Revoke', 'plain'),
       ]),
     )}
     <p>A key that is revoked is refused at once. The tokens of installations that the app has got with it stay valid for an
        hour at most.</p>
     ${form('new-key', '', 'Make a private key', 'plain')}</section>
     <section><h2>Client secret</h2>
     <p>The one before is refused at once.</p>
     ${form('client-secret', '', 'Make a new client secret', 'plain')}</section>
     <section><h2>Delete the app</h2>
     <p>It is uninstalled from ${installations}. All its tokens and keys end at once, and it receives no more events. This
        cannot be undone.</p>
     ${form(
       'delete',
       textField(
         `To delete it, type <code>${slug}</code>`,
         'confirm',
         '',
         'required autocomplete="off" autocapitalize="none"',
       ),
       'Delete the app',
       'danger',
     )}</section>`,
  );
}

function textField(label: string, name: string, value: string, attributes: string): string {
  return `<label>${label}<input name="${name}" value="${escapeHtml(value)}" ${attributes}></label>`;
}

function checkbox(label: string, name: string, isOn: boolean, value = 'on'): string {
  const checked = isOn ? ' checked' : '';
  return `<label><input type="checkbox" name="${name}" value="${value}"${checked}>${label}</label>`;
}

/** Selects by permission, and a box for each event. */
function rightFields({ permissions, events }: HostApp): string {
  const selects = APP_PERMISSION_NAMES.filter((name) => name !== 'metadata').map((name) => {
    const options = ['', ...levelsOf(name)].map((level) => {
      const selected = level === (permissions[name] ?? '') ? ' selected' : '';
      return `<option value="${level}"${selected}>${level === '' ? 'none' : permissionLevel(level)}</option>`;
    });
    return `<label>${permissionName(name)}<select name="permission.${name}">${options.join('')}</select></label>`;
  });
  const boxes = APP_EVENT_NAMES.map((name) => checkbox(name, 'event', events.includes(name), name));
  return `<details><summary>Change the permissions</summary><div class="columns">${selects.join('')}</div></details>
    <details><summary>Change the events, each of which needs its permission</summary><div class="columns">${boxes.join('')}</div></details>`;
}

export interface ShownSecret {
  title: string;
  value: string;
  /** The name of a file that it is saved as. */
  file?: string;
}

/** The answer to the form that made it. */
export function secretPage({ title, value, file }: ShownSecret, path: string): string {
  const save =
    file === undefined
      ? ''
      : `<p><a download="${file}" href="data:application/x-pem-file,${encodeURIComponent(value)}">Save it as ${file}</a></p>`;
  return appFrame(
    title,
    `<p role="status">It is shown once. Keep it where nobody else can read it.</p>
     <div class="wide"><pre tabindex="0"><code>${escapeHtml(value)}</code></pre></div>${save}
     <p><a href="${escapeHtml(path)}">Back to the settings</a></p>`,
  );
}

export function appDeletedPage({ name }: HostApp, path: string): string {
  return htmlPage(
    'Deleted',
    `<p>${escapeHtml(name)} is deleted, and its tokens are refused.</p>
     <p><a href="${escapeHtml(path)}">Other apps</a></p>`,
    'card',
  );
}

const MAX_DESCRIPTION = 2000;
const MAX_ADDRESS = 2048;
const PERMISSION = 'permission.';

export function aboutIn(form: URLSearchParams) {
  const description = textIn(form, 'description', MAX_DESCRIPTION).replaceAll('\r\n', '\n');
  const setup = addressIn(form, 'setup_url');
  return ({ urls }: HostApp) => ({
    externalUrl: checkedAddress('url', textIn(form, 'url', MAX_ADDRESS)),
    description: description || null,
    isPublic: form.has('public'),
    urls: { ...urls, setup, setupOnUpdate: form.has('setup_on_update') },
  });
}

/** Without an address there is no webhook. Throws for one that this server must not call. */
export function hookIn(form: URLSearchParams, { guard }: Kernel) {
  const url = addressIn(form, 'hook_url');
  if (url !== null) checkHookAddress('hook_url', url, (address) => guard.checkUrl(address));
  return ({ hook }: HostApp) => ({
    hook: { ...hook, url, isActive: url !== null && form.has('hook_active') },
  });
}

export function rightsIn(form: URLSearchParams): AppRights {
  const asked = [...form]
    .filter(([name, level]) => name.startsWith(PERMISSION) && level !== '')
    .map(([name, level]) => [name.slice(PERMISSION.length), level]);
  const permissions = checkedPermissions(Object.fromEntries(asked) as Record<string, string>);
  return { permissions, events: checkedEvents('events', form.getAll('event'), permissions) };
}

function addressIn(form: URLSearchParams, field: string): string | null {
  const text = textIn(form, field, MAX_ADDRESS);
  return text === '' ? null : checkedAddress(field, text);
}

function textIn(form: URLSearchParams, field: string, most: number): string {
  const text = (form.get(field) ?? '').trim();
  if (text.length > most) throw problem(field, `must have at most ${most} characters`);
  if (text.includes('\0')) throw problem(field, 'must have no null characters');
  return text;
}
