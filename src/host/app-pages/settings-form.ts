// What the forms of an app's settings hold, read and checked.
import type { Kernel } from '../../kernel/kernel.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { checkedAddress, checkedEvents, checkHookAddress } from '../app-manifests/manifest.ts';
import type { HostApp } from '../apps/app.ts';
import { checkedPermissions } from '../apps/permissions.ts';
import type { AppRights } from '../apps/rights.ts';

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
