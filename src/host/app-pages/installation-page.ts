// The HTML of apps and their installations.
import { escapeHtml, htmlPage } from '../../kernel/http/pages/html.ts';
import type { HostApp, Installation } from '../apps/app.ts';
import { asksForMore, heldRights } from '../apps/permissions.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import type { Repository } from '../repositories/repository.ts';
import {
  appFrame,
  eventList,
  outsideLink,
  permissionList,
  hiddenFields,
  pageTurns,
  settingsPathFor,
} from './page-forms.ts';

/** An account that the visitor may install apps on. */
export interface InstallAccount {
  account: RepositoryOwner;
  installation?: Installation;
}

export function installationPath(account: RepositoryOwner, number: number): string {
  return `${settingsPathFor(account)}/installations/${number}`;
}

export function appPage(app: HostApp, owner: RepositoryOwner): string {
  const about = app.description === null ? '' : `<p>${escapeHtml(app.description)}</p>`;
  return appFrame(
    escapeHtml(app.name),
    `${about}<p>An app of ${escapeHtml(owner.login)}. Website: ${outsideLink(app.externalUrl)}</p>
     ${permissionList(app.permissions)}${eventList(app.events)}
     <p><a href="/apps/${app.slug}/installations/new">Install it, or change an installation</a></p>`,
  );
}

export function chooseAccountPage(app: HostApp, accounts: readonly InstallAccount[], state: string): string {
  const lines = accounts.map(({ account, installation }) => {
    const login = escapeHtml(account.login);
    if (installation !== undefined)
      return `<li>${login}: installed. <a href="${escapeHtml(installationPath(account, installation.number))}">Change it</a></li>`;
    const query = new URLSearchParams({ account: account.login, ...(state !== '' && { state }) });
    return `<li><a href="?${escapeHtml(query.toString())}">Install on ${login}</a></li>`;
  });
  const none = lines.length === 0 ? '<p>You administer no account that it can be installed on.</p>' : '';
  return appFrame(`Install ${escapeHtml(app.name)}`, `<ul>${lines.join('')}</ul>${none}`);
}

/** The repositories that a form offers. */
export interface OfferedRepositories {
  repositories: readonly Repository[];
  selected: ReadonlySet<number>;
  page: number;
  /** Whether the account has more, after these. */
  hasMore: boolean;
  isAll: boolean;
}

export function installPage(
  app: HostApp,
  account: RepositoryOwner,
  offered: OfferedRepositories,
  hidden: Record<string, string>,
): string {
  return appFrame(
    `Install ${escapeHtml(app.name)} on ${escapeHtml(account.login)}`,
    `<p>The app may then do this:</p>${permissionList(app.permissions)}${eventList(app.events)}
     <form method="post" action="/apps/${app.slug}/installations">${hiddenFields(hidden)}
     ${repositoryChoice(account, offered, offered.hasMore ? OTHERS : '')}<button>Install on ${escapeHtml(account.login)}</button></form>`,
  );
}

export function installationPage(
  { app, account, installation }: { app: HostApp; account: RepositoryOwner; installation: Installation },
  offered: OfferedRepositories,
  token: string,
): string {
  const path = escapeHtml(installationPath(account, installation.number));
  const { page, hasMore, selected } = offered;
  const form = (action: string, inner: string) =>
    `<form method="post" action="${path}${page > 1 ? `?page=${page}` : ''}">${hiddenFields({ token, action })}${inner}</form>`;
  const shown = [...selected].map((number) => hiddenFields({ shown: String(number) })).join('');
  const suspended = installation.suspendedAt !== null;
  const held = heldRights(app, installation);
  return appFrame(
    `${escapeHtml(app.name)} on ${escapeHtml(account.login)}`,
    `${suspended ? '<p role="alert">It is suspended: it can do nothing, and receives no events.</p>' : ''}
     <p><a href="/apps/${app.slug}">About this app</a></p>
     ${permissionList(held.permissions)}${eventList(held.events)}
     ${
       asksForMore(app, installation)
         ? `<section><h2>The app asks for more</h2>${permissionList(app.permissions)}${eventList(app.events)}
            ${form('accept', `${hiddenFields({ revision: String(app.rightsRevision) })}<button>Agree to all of this</button>`)}</section>`
         : ''
     }
     <section><h2>Repositories</h2>
     ${page > 1 || hasMore ? `<p>Page ${page} of the repositories. Saving changes this page only. ${pageTurns(page, hasMore)}</p>` : ''}
     ${form('repositories', `${shown}${repositoryChoice(account, offered)}<button>Save</button>`)}</section>
     <section><h2>${suspended ? 'Unsuspend' : 'Suspend'}</h2>
     <p>${suspended ? 'The app gets back what it was allowed.' : 'The app loses its access until you give it back.'}</p>
     ${form(suspended ? 'unsuspend' : 'suspend', `<button class="plain">${suspended ? 'Unsuspend' : 'Suspend'} the app</button>`)}</section>
     <section><h2>Uninstall</h2>
     <p>The app loses its access for good. Installing it again is a new installation.</p>
     ${form('uninstall', '<button class="danger">Uninstall the app</button>')}</section>`,
  );
}

export function installationsPage(
  account: RepositoryOwner,
  rows: readonly { app: HostApp; installation: Installation }[],
  turns: string,
): string {
  const lines = rows.map(({ app, installation }) => {
    const path = escapeHtml(installationPath(account, installation.number));
    const more = asksForMore(app, installation) ? ': asks for more' : '';
    return `<li><a href="${path}">${escapeHtml(app.name)}</a>${more}</li>`;
  });
  return appFrame(
    `Apps installed on ${escapeHtml(account.login)}`,
    `${rows.length === 0 ? '<p>No app is installed.</p>' : `<ul>${lines.join('')}</ul>`}
     ${turns === '' ? '' : `<p>${turns}</p>`}`,
  );
}

export function goodbyePage(app: HostApp, account: RepositoryOwner): string {
  return htmlPage(
    'Uninstalled',
    `<p>${escapeHtml(app.name)} is no longer installed on ${escapeHtml(account.login)}.</p>
     <p><a href="${escapeHtml(settingsPathFor(account))}/installations">Installed apps</a></p>`,
    'card',
  );
}

const OTHERS = `<label>Others, by name, with commas between them<input name="others" autocomplete="off" spellcheck="false"></label>`;

function repositoryChoice(
  account: RepositoryOwner,
  { repositories, selected, isAll }: OfferedRepositories,
  others = '',
): string {
  const boxes = repositories.map(({ number, name }) => {
    const checked = selected.has(number) ? ' checked' : '';
    return `<label><input type="checkbox" name="repository" value="${number}"${checked}>${escapeHtml(name)}</label>`;
  });
  return `<fieldset><legend>Which repositories of ${escapeHtml(account.login)}?</legend>
    <label><input type="radio" name="selection" value="all"${isAll ? ' checked' : ''} required>All of them, those of the future too</label>
    <label><input type="radio" name="selection" value="selected"${isAll ? '' : ' checked'}>Only these:</label>
    ${boxes.join('')}${others}</fieldset>`;
}
