// How one member lets another in: an invitation, a reset of a lost password, and the removal of a lost second factor. ADR 0147.
import { couldBeId } from '../../flags/fields.ts';
import { unknownThing } from '../../flags/find-project.ts';
import { checkLoginGrant } from '../../flags/members/grant-rules.ts';
import { memberResource, type MemberRecord } from '../../flags/members/model.ts';
import { lockMemberRecords } from '../../flags/members/store.ts';
import { Failure } from '../../kernel/failure.ts';
import { reply, route } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import {
  deleteLoginLinks,
  insertLoginLink,
  LINK_LIFETIMES,
} from '../../kernel/identity/sessions/store-login-links.ts';
import { listSessions } from '../../kernel/identity/sessions/store-sessions.ts';
import { deleteSecondFactor } from '../../kernel/identity/second-factor/store.ts';
import {
  listMemberGrants,
  listMemberTeams,
  listTeamRoles,
} from '../../kernel/identity/store-member-teams.ts';
import { findRoles } from '../../kernel/identity/store-roles.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';

const ById = Type.Object({ id: Type.String() });

const LoginLink = Type.Object(
  {
    url: Type.String({ description: 'Lets one browser in, once. Nothing shows it again' }),
    expiresAt: Type.Integer({ description: 'In epoch milliseconds' }),
    purpose: OneOf(['invitation', 'reset']),
  },
  { $id: 'LoginLink' },
);

const createLoginLink = route(
  {
    id: 'createLoginLink',
    method: 'POST',
    path: '/members/{id}/login-link',
    summary: 'Create a link that lets a member in once',
    description:
      'For a member who was never here it is a new invitation, for a week; for others a reset of their password, for a day. Links ' +
      'that they had end. Nobody gets a link to an account with more power than their own: a reset takes an administrator, and ' +
      'one for an owner takes an owner. A token that expires creates no reset.',
    access: { action: 'createLoginLink' },
    params: ById,
    reply: { 201: LoginLink },
  },
  async (call, { changes, publicUrl }) => {
    const { caller, now } = call;
    const { id } = call.params;
    const access = { action: 'createLoginLink', resource: memberResource({ id }) };
    call.requirePermission(access.resource);
    refuseOwn(caller, id, 'set your password with PUT /signalbox/v1/me/password');
    const link = await changes.run(call, async (tx) => {
      const member = await openMember(tx.db, id);
      const isUsed = await isInUse(tx.db, member, now);
      await checkPower(tx.db, caller, { member, isUsed }, access);
      if (isUsed) refuseExpiring(caller);
      const purpose = isUsed ? 'reset' : 'invitation';
      await deleteLoginLinks(tx.db, id, now);
      const secret = await insertLoginLink(tx.db, member, now, purpose);
      const expiresAt = now + LINK_LIFETIMES[purpose];
      tx.record({
        accesses: [access],
        kind: 'member',
        name: member.email,
        verb: isUsed ? 'created a link that resets the password of' : 'created a new invitation for',
        description: `* It works once, until ${new Date(expiresAt).toISOString()}`,
      });
      return { url: `${publicUrl}/session/${secret}`, expiresAt, purpose };
    });
    return reply(201, link);
  },
);

const deleteLoginLink = route(
  {
    id: 'deleteLoginLink',
    method: 'DELETE',
    path: '/members/{id}/login-link',
    summary: 'End the login links of a member',
    description: 'Also the invitation. It is no error where there is none.',
    access: { action: 'deleteLoginLink' },
    params: ById,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    const { caller, now } = call;
    const { id } = call.params;
    const access = { action: 'deleteLoginLink', resource: memberResource({ id }) };
    call.requirePermission(access.resource);
    await changes.run(call, async (tx) => {
      const member = await openMember(tx.db, id);
      await checkPower(tx.db, caller, { member, isUsed: await isInUse(tx.db, member, now) }, access);
      if ((await deleteLoginLinks(tx.db, id, now)) === 0) return;
      tx.record({
        accesses: [access],
        kind: 'member',
        name: member.email,
        verb: 'ended the login links of',
      });
    });
    return reply(204);
  },
);

const removeSecondFactor = route(
  {
    id: 'deleteSecondFactor',
    method: 'DELETE',
    path: '/members/{id}/second-factor',
    summary: 'Remove the second factor of a member',
    description:
      'For somebody who has lost their phone and their recovery codes: their next login needs the password alone. It takes as much ' +
      'power as a link that resets their password. It is no error where there is none.',
    access: { action: 'deleteSecondFactor' },
    params: ById,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    const { caller } = call;
    const { id } = call.params;
    const access = { action: 'deleteSecondFactor', resource: memberResource({ id }) };
    call.requirePermission(access.resource);
    refuseOwn(caller, id, 'remove it with POST /signalbox/v1/me/second-factor/removal');
    refuseExpiring(caller);
    await changes.run(call, async (tx) => {
      const member = await openMember(tx.db, id);
      await checkPower(tx.db, caller, { member, isUsed: true }, access);
      if (!(await deleteSecondFactor(tx.db, id))) return;
      tx.record({
        accesses: [access],
        kind: 'member',
        name: member.email,
        verb: 'removed the second factor of',
      });
    });
    return reply(204);
  },
);

/** Locked until the transaction ends: of links that are created at once one stays. */
async function openMember(tx: Db, id: string): Promise<MemberRecord> {
  const [member] = couldBeId(id) ? await lockMemberRecords(tx, [id]) : [];
  if (member === undefined) throw unknownThing('member', id);
  return member;
}

/** When they were last seen is saved a little later than they come. */
async function isInUse(db: Db, { id, lastSeenAt }: MemberRecord, now: number): Promise<boolean> {
  return lastSeenAt !== undefined || (await listSessions(db, id, now)).length > 0;
}

async function checkPower(
  db: Db,
  caller: KnownCaller,
  { member, isUsed }: { member: MemberRecord; isUsed: boolean },
  access: { action: string; resource: string },
): Promise<void> {
  const teams = await listMemberTeams(db, [member.id]);
  const customRoles = [
    ...(await findRoles(db, member.customRoles)),
    ...(await listTeamRoles(
      db,
      teams.map(({ team }) => team.id),
    )),
  ];
  const managesTeams = (await listMemberGrants(db, member.id)).length > 0;
  checkLoginGrant(caller, { role: member.role, customRoles, managesTeams, isUsed }, access);
}

/** A browser that was left open could else change how its owner logs in without knowing the password. */
function refuseOwn({ member, token }: KnownCaller, id: string, instead: string): void {
  if (member.id !== id || token?.isService === true) return;
  throw new Failure(
    'forbidden',
    `This is not for your own account: ${instead}, or ask another administrator.`,
  );
}

/** One who steals it for a minute would have the account for ever. ADR 0124. */
function refuseExpiring({ token }: KnownCaller): void {
  if (token?.expiresAt === undefined) return;
  throw new Failure(
    'forbidden',
    'A token that expires does not change how somebody logs in to an account that is in use. Use a session, or a token without an expiry.',
  );
}

export const loginLinkRoutes = [createLoginLink, deleteLoginLink, removeSecondFactor];
