// The name and the address of the caller, which members may change themselves.
import { findAccountWithAddedEmail } from '../../host/users/store.ts';
import { MemberEmail, memberResource, PersonName, toMember } from '../../flags/members/model.ts';
import { findIdsByEmail, listMemberRecords, lockMemberRecords } from '../../flags/members/store.ts';
import { Failure } from '../../kernel/failure.ts';
import { route } from '../../kernel/http/route.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import type { Member } from '../../kernel/identity/store-members.ts';
import { updateMemberProfile, type MemberProfile } from '../../kernel/identity/store-profile.ts';
import { Nullable, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { contested } from '../../kernel/storage/retry.ts';
import { isUniqueViolation } from '../../kernel/storage/storage-failure.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { isEmail } from '../../kernel/text/email.ts';
import { requireOwn } from '../own-affairs.ts';
import { Me, toMe } from './model.ts';

const ProfilePatch = Type.Object(
  {
    firstName: Type.Optional(Nullable(PersonName)),
    lastName: Type.Optional(Nullable(PersonName)),
    email: Type.Optional(MemberEmail),
  },
  { $id: 'ProfilePatch', additionalProperties: false, description: 'Null or empty text takes a name away' },
);

const updateMe = route(
  {
    id: 'updateMe',
    method: 'PATCH',
    path: '/me',
    summary: "Change the caller's name and address",
    description: 'What is absent stays as it is. The address is also a name to log in with.',
    access: { action: 'updateProfile' },
    body: ProfilePatch,
    reply: { 200: Me },
  },
  async (call, { changes, release, publicUrl, program }) => {
    const { caller, body, now } = call;
    const id = requireOwn(call, 'profile');
    if (body.email !== undefined && !isEmail(body.email))
      throw problem('/email', 'must be an e-mail address');
    const member = await changes.run(call, async (tx) => {
      const { db } = tx;
      const [before] = await lockMemberRecords(db, [id]);
      if (before === undefined) throw new Failure('not-found', 'You are no member any more.');
      const wanted = patchProfile(before, body);
      if (isSame(before, wanted)) return before;
      if (wanted.email !== before.email) await requireFreeAddress(db, before, wanted.email);
      await updateMemberProfile(db, before, wanted, now).catch((error: unknown) => {
        throw isUniqueViolation(error) ? contested('member') : error; // it was free when it was checked
      });
      const [after] = await listMemberRecords(db, [id]);
      tx.record({
        accesses: [{ action: 'updateProfile', resource: memberResource(before) }],
        // `requireOwn` has decided.
        requirements: [],
        kind: 'member',
        name: after!.email,
        verb: 'changed the profile of the member',
        before: toMember(before),
        after: toMember(after!),
      });
      await tx.invalidate(IDENTITY);
      return after!;
    });
    return toMe({ ...caller, member }, { release, publicUrl, program, now });
  },
);

function patchProfile(
  before: MemberProfile,
  { firstName, lastName, email }: Static<typeof ProfilePatch>,
): MemberProfile {
  const nameOf = (name: string | null | undefined, present: string | undefined) =>
    name === undefined ? present : name?.trim() || undefined;
  return {
    firstName: nameOf(firstName, before.firstName),
    lastName: nameOf(lastName, before.lastName),
    email: email === undefined ? before.email : email.toLowerCase(),
  };
}

function isSame(one: MemberProfile, other: MemberProfile): boolean {
  return one.firstName === other.firstName && one.lastName === other.lastName && one.email === other.email;
}

/** What a user has added on the host is theirs, too: commits with it are shown as theirs. */
async function requireFreeAddress(db: Db, { id }: Pick<Member, 'id'>, email: string): Promise<void> {
  const member = (await findIdsByEmail(db, [email])).get(email);
  const account = await findAccountWithAddedEmail(db, email);
  if ((member ?? id) === id && (account ?? id) === id) return;
  throw new Failure('conflict', 'Somebody else has this address.', {
    fields: [{ field: '/email', message: 'is taken' }],
  });
}

export const profileRoutes = [updateMe];
