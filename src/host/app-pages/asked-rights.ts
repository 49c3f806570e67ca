// What an app asks for, as pages show it: permissions, events and addresses.
import { escapeHtml, htmlTable } from '../../kernel/http/pages/html.ts';
import type { AppPermissions } from '../apps/permissions.ts';

const LEVELS: Readonly<Record<string, string>> = {
  read: 'read',
  write: 'read and write',
  admin: 'administer',
};

export function permissionLevel(level: string): string {
  return LEVELS[level] ?? level;
}

export function permissionName(name: string): string {
  return escapeHtml(name.replaceAll('_', ' '));
}

export function permissionList(permissions: AppPermissions): string {
  const rows = Object.entries(permissions)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, level]) => [permissionName(name), permissionLevel(level)]);
  return htmlTable(['Permission', 'Level'], rows);
}

export function eventList(events: readonly string[]): string {
  if (events.length === 0) return '<p>It asks for no events.</p>';
  return `<p>It receives these events: ${events.map((name) => `<code>${escapeHtml(name)}</code>`).join(', ')}.</p>`;
}

/** A link that says nothing to the site about where it was clicked. The address has been checked to be of the web. */
export function outsideLink(url: string): string {
  return `<a href="${escapeHtml(url)}" rel="noopener noreferrer">${escapeHtml(url)}</a>`;
}
