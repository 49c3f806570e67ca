// The e-mail addresses of the caller: list, add, delete, and which one others see.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Account } from '../../kernel/identity/store-accounts.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { lockUser, userResource } from './access.ts';
import {
  Email,
  EmailList,
  EmailVisibility,
  MAX_EMAILS,
  parseEmails,
  tooManyEmails,
  toEmails,
} from './email.ts';
import { PRIMARY } from './model.ts';
import {
  findProfile,
  upsertProfile,
  deleteEmails,
  insertEmails,
  listAddedEmails,
  listPrimaryEmails,
} from './store.ts';

const listEmails = route(
  {
    id: 'users/list-emails-for-authenticated-user',
    method: 'GET',
    path: '/user/emails',
    summary: "List the caller's e-mail addresses, the primary one first",
    access: { action: 'viewEmails' },
    query: Type.Object(HostPageQuery),
    list: Email,
  },
  async (call, { db }) => {
    call.requirePermission(userResource(accountOf(call.caller)));
    return pageOf(await readEmails(db, call.caller), call.query);
  },
);

const listPublicEmails = route(
  {
    id: 'users/list-public-emails-for-authenticated-user',
    method: 'GET',
    path: '/user/public_emails',
    summary: "List the caller's e-mail addresses that others see",
    access: { action: 'viewEmails' },
    query: Type.Object(HostPageQuery),
    list: Email,
  },
  async (call, { db }) => {
    call.requirePermission(userResource(accountOf(call.caller)));
    const emails = await readEmails(db, call.caller);
    return pageOf(
      emails.filter(({ visibility }) => visibility === 'public'),
      call.query,
    );
  },
);

const addEmails = route(
  {
    id: 'users/add-email-for-authenticated-user',
    method: 'POST',
    path: '/user/emails',
    summary: 'Add e-mail addresses',
    description:
      'They are not verified, as no mail is sent to them: commits with such an address are nobody’s.',
    access: { action: 'createEmail' },
    body: EmailList,
    reply: { 201: Type.Array(Email) },
  },
  async (call, { changes }) => {
    const account = accountOf(call.caller);
    call.requirePermission(userResource(account));
    const emails = parseEmails(call.body);
    await changes.run(call, async (tx) => {
      await lockUser(tx.db, call.caller);
      const known = await listAddedEmails(tx.db, account.id);
      if (known.length + emails.length > MAX_EMAILS) throw tooManyEmails();
      const [primary] = await listPrimaryEmails(tx.db, emails);
      if (primary !== undefined) throw takenEmail(primary);
      const inserted = await insertEmails(tx.db, account.id, emails, call.now);
      const taken = emails.find((email) => !inserted.includes(email));
      if (taken !== undefined) throw takenEmail(taken);
      recordEmails(tx, account, { action: 'createEmail', verb: 'added the addresses of', after: emails });
    });
    return reply(201, toAddedEmails(emails));
  },
);

const removeEmails = route(
  {
    id: 'users/delete-email-for-authenticated-user',
    method: 'DELETE',
    path: '/user/emails',
    summary: 'Delete e-mail addresses',
    description: 'The primary one cannot be deleted.',
    access: { action: 'deleteEmail' },
    body: EmailList,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    const account = accountOf(call.caller);
    call.requirePermission(userResource(account));
    const emails = parseEmails(call.body);
    if (emails.some((email) => email.toLowerCase() === account.email.toLowerCase()))
      throw problem('email', 'is the primary one, which cannot be deleted');
    await changes.run(call, async (tx) => {
      await lockUser(tx.db, call.caller);
      const deleted = await deleteEmails(tx.db, account.id, emails);
      const unknown = emails.find((email) => !deleted.includes(email.toLowerCase()));
      if (unknown !== undefined) throw problem('email', `is none of your addresses: ${unknown}`);
      const { profile } = await findProfile(tx.db, account.id);
      if (deleted.includes(profile.publicEmail?.toLowerCase() ?? ''))
        await upsertProfile(tx.db, account.id, { ...profile, publicEmail: null }, call.now);
      recordEmails(tx, account, { action: 'deleteEmail', verb: 'deleted the addresses of', before: emails });
    });
    return reply(204);
  },
);

const setVisibility = route(
  {
    id: 'users/set-primary-email-visibility-for-authenticated-user',
    method: 'PATCH',
    path: '/user/email/visibility',
    summary: 'Show the primary e-mail address to others, or hide it',
    access: { action: 'updateProfile' },
    body: EmailVisibility,
    reply: { 200: Type.Array(Email) },
  },
  async (call, { changes }) => {
    const account = accountOf(call.caller);
    call.requirePermission(userResource(account));
    const isPublic = call.body.visibility === 'public';
    const profile = await changes.run(call, async (tx) => {
      await lockUser(tx.db, call.caller);
      const { profile: before } = await findProfile(tx.db, account.id);
      if ((before.publicEmail === PRIMARY) === isPublic) return before;
      const after = { ...before, publicEmail: isPublic ? PRIMARY : null };
      await upsertProfile(tx.db, account.id, after, call.now);
      tx.record({
        accesses: [{ action: 'updateProfile', resource: userResource(account) }],
        kind: 'user',
        name: account.username,
        verb: isPublic ? 'published the address of' : 'hid the address of',
        ownerId: account.id,
        before,
        after,
      });
      return after;
    });
    return toEmails(account.email, [], profile);
  },
);

async function readEmails(db: Db, caller: KnownCaller) {
  const { id, email } = accountOf(caller);
  const { profile } = await findProfile(db, id);
  return toEmails(email, await listAddedEmails(db, id), profile);
}

/** A user has few addresses, so that all are read. */
function pageOf<Item>(items: Item[], query: { page: number; per_page?: number }): Page<Item> {
  const slice = pageSliceOf(query);
  return new Page(items.slice(slice.offset, slice.offset + slice.limit), items.length, slice);
}

function toAddedEmails(emails: readonly string[]) {
  return emails.map((email) => ({ email, primary: false, verified: false, visibility: null }));
}

function recordEmails(
  tx: ChangeTransaction,
  account: Account,
  { action, verb, before, after }: { action: string; verb: string; before?: string[]; after?: string[] },
): void {
  tx.record({
    accesses: [{ action, resource: userResource(account) }],
    kind: 'user',
    name: account.username,
    verb,
    ownerId: account.id,
    ...(before && { before: { emails: before } }),
    ...(after && { after: { emails: after } }),
  });
}

function takenEmail(email: string) {
  return problem('email', `is already in use: ${email}`);
}

export const emailRoutes = [listEmails, listPublicEmails, addEmails, removeEmails, setVisibility];
