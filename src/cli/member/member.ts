// The commands `member …`: people of the account are added, listed, given roles, let in again and removed by the operator.
import { changesOn, endMember } from '../../app/apis.ts';
import type { Config } from '../../app/config.ts';
import type { LoadedSettings } from '../../app/read-settings.ts';
import { changeMember, removeMember } from '../../flags/members/change-member.ts';
import { inviteMember, requireFree } from '../../flags/members/invite-routes.ts';
import { checkEmails, memberResource, type MemberRecord } from '../../flags/members/model.ts';
import {
  findIdsByEmail,
  listMemberIds,
  listMemberRecords,
  lockMemberRecords,
} from '../../flags/members/store.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { urlOf } from '../../kernel/http/server/listen.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import type { BaseRole } from '../../kernel/identity/policy.ts';
import { deleteLoginLinks, insertLoginLink } from '../../kernel/identity/sessions/store-login-links.ts';
import { deleteOtherSessions } from '../../kernel/identity/sessions/store-sessions.ts';
import { findMember, updatePassword } from '../../kernel/identity/store-members.ts';
import { hashPassword } from '../../kernel/secrets/secret.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { EXIT } from '../command-errors.ts';
import { readInput, type Io } from '../io.ts';
import { loginUrl, withMigratedDatabase } from '../open-database.ts';
import { findServer } from '../running-server.ts';
import { confirmRemoval, printLink, printMembers, unknownMember } from './report-members.ts';

/** Owners are made of members, one at a time. */
type InvitedRole = Exclude<BaseRole, 'owner'>;

interface PasswordOptions {
  passwordStdin?: boolean;
  json?: boolean;
}

export async function runMemberAdd(
  { config }: LoadedSettings,
  email: string,
  options: PasswordOptions & { role: InvitedRole; username?: string },
  io: Io,
): Promise<number> {
  const { role, username } = options;
  const post = { email, role };
  checkEmails([post]);
  const hash = await readPasswordHash(options, io);
  const url = await publicUrlOf(config);
  const { member, link } = await change(config, async (tx) => {
    await requireFree(tx.db, [post]);
    const taken = new Set<string>();
    const made = await inviteMember(tx, post, { hash, taken, ...(username !== undefined && { username }) });
    await tx.invalidate(IDENTITY);
    const secret = hash === null ? await insertLoginLink(tx.db, made, tx.actor.now, 'invitation') : undefined;
    return { member: made, link: secret };
  });
  const facts = { id: member.id, username: member.username, email: member.email, role };
  printLink(facts, link === undefined ? undefined : loginUrl(url, link), options, io);
  if (options.json !== true) io.err(`Added ${member.username} (${member.email}) with the role ${role}.`);
  return EXIT.good;
}

export async function runMemberLs(
  { config }: LoadedSettings,
  options: { json?: boolean },
  io: Io,
): Promise<number> {
  const members = await withMigratedDatabase(config, async ({ db }) =>
    listMemberRecords(db, await listMemberIds(db, {})),
  );
  printMembers(members, options, io);
  return EXIT.good;
}

export async function runSetRole(
  { config }: LoadedSettings,
  name: string,
  role: string,
  io: Io,
): Promise<number> {
  const { before, after } = await change(config, async (tx) => {
    const member = await openMember(tx.db, name, io);
    const asked = { ...member, role: role as BaseRole };
    return { before: member, after: await changeMember(tx, member, asked, {}) };
  });
  io.err(
    before === after
      ? `${after.username} has the role ${role} already.`
      : `${after.username} has the role ${role} now, and had ${before.role}.`,
  );
  return EXIT.good;
}

/** Whoever knows the old password, or sits at a browser that is logged in, is out. */
export async function runResetPassword(
  { config }: LoadedSettings,
  name: string,
  options: PasswordOptions,
  io: Io,
): Promise<number> {
  const hash = await readPasswordHash(options, io);
  const url = await publicUrlOf(config);
  const { member, link, sessions } = await change(config, async (tx) => {
    const { db, actor } = tx;
    const found = await openMember(db, name, io);
    await updatePassword(db, found.id, hash, actor.now);
    const ended = await deleteOtherSessions(db, found.id, '');
    await deleteLoginLinks(db, found.id, actor.now);
    const secret = hash === null ? await insertLoginLink(db, found, actor.now, 'reset') : undefined;
    tx.record({
      accesses: [{ action: 'updatePassword', resource: memberResource(found) }],
      requirements: [],
      kind: 'member',
      name: found.email,
      verb: 'reset the password of the member',
      ...(ended > 0 && { description: `* Ended ${ended} sessions` }),
    });
    await tx.invalidate(IDENTITY);
    return { member: found, link: secret, sessions: ended };
  });
  const facts = { id: member.id, username: member.username, endedSessions: sessions };
  printLink(facts, link === undefined ? undefined : loginUrl(url, link), options, io);
  if (options.json !== true)
    io.err(
      `Reset the password of ${member.username}, and ended ${sessions} sessions. Access tokens go on working.`,
    );
  return EXIT.good;
}

export async function runMemberRemove(
  { config }: LoadedSettings,
  name: string,
  options: { yes?: boolean },
  io: Io,
): Promise<number> {
  const found = await withMigratedDatabase(config, ({ db }) => requireMember(db, name, io));
  if (!(await confirmRemoval(found, options, io))) return EXIT.failed;
  await change(config, async (tx) => {
    const member = await openMember(tx.db, name, io);
    await removeMember(tx, member, endMember);
  });
  io.err(`Removed ${found.username} (${found.email}, ${found.role}).`);
  return EXIT.good;
}

function change<T>(config: Config, work: (tx: ChangeTransaction) => Promise<T>): Promise<T> {
  return withMigratedDatabase(config, (engine) =>
    changesOn(engine).run(systemActor({ now: Date.now() }), work),
  );
}

async function requireMember(db: Db, name: string, io: Io): Promise<MemberRecord> {
  const id =
    (await findMember(db, { username: name }))?.id ??
    (await findMember(db, { id: name }))?.id ??
    (await findIdsByEmail(db, [name.replaceAll('\0', '')])).get(name.toLowerCase());
  const [member] = id === undefined ? [] : await listMemberRecords(db, [id]);
  if (member !== undefined) return member;
  throw unknownMember(name, io);
}

async function openMember(tx: Db, name: string, io: Io): Promise<MemberRecord> {
  const { id } = await requireMember(tx, name, io);
  const [member] = await lockMemberRecords(tx, [id]);
  return member!;
}

async function readPasswordHash({ passwordStdin }: PasswordOptions, io: Io): Promise<string | null> {
  if (passwordStdin !== true) return null;
  const password = (await readInput(io)).toString('utf8').replace(/\r?\n$/, '');
  if (password.length < 8 || password.length > 1024 || password.includes('\0'))
    throw new Failure('invalid', 'The password on standard input must have 8 to 1024 characters.');
  return await hashPassword(password);
}

async function publicUrlOf(config: Config): Promise<string> {
  return (await findServer(config.data))?.publicUrl ?? config.publicUrl ?? urlOf(config, config.port);
}
