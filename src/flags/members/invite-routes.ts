// Invites members: up to fifty at once, all or none.
import { knownCaller } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { checkPasswordRules } from '../../kernel/identity/password-rules.ts';
import { insertMember, type Member } from '../../kernel/identity/store-members.ts';
import { shareLockRoles } from '../../kernel/identity/store-roles.ts';
import { hashPassword } from '../../kernel/secrets/secret.ts';
import { insertLoginLink } from '../../kernel/identity/sessions/store-login-links.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { isUniqueViolation } from '../../kernel/storage/storage-failure.ts';
import { contested } from '../../kernel/storage/retry.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { lockTeams } from '../teams/store.ts';
import { Collection, linkTo } from '../links.ts';
import { joinTeams } from '../teams/change-team.ts';
import { checkAttributeGrant, checkCustomGrant, checkRoleGrant } from './grant-rules.ts';
import { findIdsByEmail, listMemberRecords, findFreeUsername } from './store.ts';
import { requireRoles } from './change-member.ts';
import { checkEmails, emailFailure, MemberPost, MemberRep, toMember, usernameFrom } from './model.ts';
import { teamsOf } from './routes.ts';

const MAX_INVITATIONS = 50;

export const postMembers = route(
  {
    id: 'postMembers',
    method: 'POST',
    path: '/members',
    summary: 'Invite members to the account, all of them or none',
    description:
      'Whoever gets no password is let in by a link that works once, for a week: the reply has it as `login` among the ' +
      "member's links, and nothing else ever shows it. Nobody can be given more power than the caller has.",
    access: { action: 'createMember' },
    body: Type.Array(MemberPost, { minItems: 1, maxItems: MAX_INVITATIONS }),
    reply: { 201: Collection(MemberRep) },
  },
  async (call, { changes, db, publicUrl, settings }) => {
    const posts = call.body;
    const access = { action: 'createMember', resource: 'member/*' };
    call.requirePermission(access.resource);
    checkEmails(posts);
    for (const post of posts) {
      checkRoleGrant(call.caller, roleOf(post), access);
      if (Object.keys(post.roleAttributes ?? {}).length > 0) checkAttributeGrant(call.caller, access);
    }
    // Hashed before the transaction and one at a time, because each hash takes much memory and time on purpose.
    const hashes: (string | null)[] = [];
    for (const { password, email } of posts) {
      if (password !== undefined) checkPasswordRules(password, { email }, { ...settings, field: 'password' });
      hashes.push(password === undefined ? null : await hashPassword(password));
    }
    const { members, links } = await changes.run(call, async (tx) => {
      await requireFree(tx.db, posts);
      const teamKeys = posts.flatMap((post) => post.teamKeys ?? []);
      await lockTeams(tx.db, [...new Set(teamKeys)]);
      const made: Member[] = [];
      const secrets: (string | undefined)[] = [];
      for (const [index, post] of posts.entries()) {
        const taken = new Set(made.map(({ username }) => username));
        const member = await inviteMember(tx, post, { hash: hashes[index]!, taken });
        made.push(member);
        secrets.push(
          hashes[index] === null ? await insertLoginLink(tx.db, member, call.now, 'invitation') : undefined,
        );
      }
      return { members: made, links: secrets };
    });
    const listed = await listMemberRecords(
      db,
      members.map(({ id }) => id),
    );
    const teams = await teamsOf(db, listed);
    // One that was removed meanwhile is not listed.
    const linkOf = new Map(members.map(({ id }, index) => [id, links[index]]));
    const items = listed.map((member) => {
      const shown = toMember(member, { teams: teams(member), withAttributes: true });
      const link = linkOf.get(member.id);
      const login = { href: `${publicUrl}/session/${link}`, type: 'text/html' };
      return link === undefined ? shown : { ...shown, _links: { ...shown._links, login } };
    });
    return reply(201, { items, totalCount: items.length, _links: { self: linkTo('/members') } });
  },
);

function roleOf({ role, customRoles = [] }: MemberPost) {
  return role ?? (customRoles.length > 0 ? 'no_access' : 'reader');
}

export async function requireFree(tx: Db, posts: readonly MemberPost[]): Promise<void> {
  const taken = [
    ...(
      await findIdsByEmail(
        tx,
        posts.map(({ email }) => email),
      )
    ).keys(),
  ];
  if (taken.length > 0)
    throw emailFailure('email_already_exists_in_account', 'These addresses are members already', taken);
}

/** Where no username is given, it is made from the address. */
export async function inviteMember(
  tx: ChangeTransaction,
  post: MemberPost,
  { hash, taken, username }: { hash: string | null; taken: ReadonlySet<string>; username?: string },
): Promise<Member> {
  const { db, actor } = tx;
  const { firstName, lastName, roleAttributes, teamKeys = [] } = post;
  const access = { action: 'createMember', resource: 'member/*' };
  const roles = await requireRoles(db, post.customRoles ?? [], 'customRoles');
  for (const role of roles) checkCustomGrant(knownCaller(actor), role, access);
  await shareLockRoles(db, roles);
  const email = post.email.toLowerCase();
  const member = await insertMember(
    db,
    {
      username: username ?? (await findFreeUsername(db, usernameFrom(email), taken)),
      email,
      role: roleOf(post),
      customRoles: roles.map(({ key }) => key),
      ...(firstName !== undefined && { firstName }),
      ...(lastName !== undefined && { lastName }),
      ...(roleAttributes !== undefined && { roleAttributes }),
    },
    hash,
    actor.now,
  ).catch((error: unknown) => {
    throw isUniqueViolation(error) ? contested('member') : error; // both were free when checked
  });
  const [made] = await listMemberRecords(db, [member.id]);
  tx.record({
    accesses: [{ action: 'createMember', resource: `member/${member.id}` }],
    kind: 'member',
    name: email,
    verb: 'invited the member',
    after: toMember(made!, { withAttributes: true }),
  });
  await joinTeams(tx, { teamKeys, memberIds: [member.id] });
  return member;
}
