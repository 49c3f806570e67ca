// Members of the account: list, get, patch, delete, and add to teams.
import { requireAnyPermission } from '../../kernel/identity/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import {
  listMemberGrants,
  listMemberTeams,
  listTeamRoles,
} from '../../kernel/identity/store-member-teams.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { filterInSlices, mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import { couldBeId, Key } from '../fields.ts';
import {
  ExpandQuery,
  FilterQuery,
  PageQuery,
  readExpand,
  readSort,
  sliceOf,
  SortQuery,
} from '../lists/list-query.ts';
import { unknownThing } from '../find-project.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { readDocumentPatch, updateOf } from '../patch/patch.ts';
import { joinTeams } from '../teams/change-team.ts';
import { checkRank } from './grant-rules.ts';
import { listMemberRecords, listMemberIds, lockMemberRecords } from './store.ts';
import { changeMember, removeMember } from './change-member.ts';
import { MEMBER_FILTERS, readMemberFilter } from './filter.ts';
import {
  MEMBER_ACTIONS,
  MemberRep,
  patchMember,
  memberResource,
  toMember,
  type MemberExpansions,
  type MemberRecord,
} from './model.ts';

const ById = Type.Object({ id: Type.String({ description: 'An id, or `me`' }) });
const EXPANDS = ['customRoles', 'roleAttributes'] as const;
const SORTS = ['displayName', 'lastSeen'] as const;

const getMembers = route(
  {
    id: 'getMembers',
    method: 'GET',
    path: '/members',
    summary: 'List the members of the account',
    access: { action: 'viewMember' },
    query: Type.Object({
      ...PageQuery,
      ...FilterQuery(MEMBER_FILTERS),
      ...SortQuery(SORTS),
      ...ExpandQuery(EXPANDS),
    }),
    list: MemberRep,
  },
  async (call, { db }) => {
    const { query } = call;
    const withAttributes = readExpand(query.expand, EXPANDS).has('roleAttributes');
    const order = readSort(query.sort, SORTS).map(({ field, desc }) => ({ by: field, desc }));
    const ids = await listMemberIds(db, readMemberFilter(query.filter), order);
    const seen = await filterInSlices(ids, (id) => call.can(memberResource({ id })));
    if (seen.length === 0) call.requirePermission('member/*');
    const slice = sliceOf(query);
    const members = await listMemberRecords(db, seen.slice(slice.offset, slice.offset + slice.limit));
    const teams = await teamsOf(db, members);
    const shown = await mapInSlices(members, (member) =>
      toMember(member, { teams: teams(member), withAttributes }),
    );
    return new Page(shown, seen.length, slice);
  },
);

const getMember = route(
  {
    id: 'getMember',
    method: 'GET',
    path: '/members/{id}',
    summary: 'Get a member; everybody may get `me`',
    access: { action: 'viewMember' },
    params: ById,
    query: Type.Object(ExpandQuery(EXPANDS)),
    reply: { 200: MemberRep },
  },
  async (call, { db }) => {
    const member = await readMember(db, call.params.id, call.caller);
    const access = { action: 'viewMember', resource: memberResource(member) };
    if (!call.can(access.resource) && !isMe(call.caller, member)) {
      throw new Failure('forbidden', 'Forbidden. Access to the requested resource was denied.', { access });
    }
    const withAttributes = readExpand(call.query.expand, EXPANDS).has('roleAttributes');
    const shown = await showMember(db, member, { withAttributes });
    // A narrowed token learns whose it is, and not the address.
    const isNarrowed = call.caller.boundary !== undefined && !call.can(access.resource);
    return isNarrowed ? { ...shown, email: '' } : shown;
  },
);

const patchMemberRoute = route(
  {
    id: 'patchMember',
    method: 'PATCH',
    path: '/members/{id}',
    summary: 'Change the role, custom roles or role attributes of a member by JSON patch',
    description:
      'Nobody gives a role above their own, or a custom role that they do not hold; administrators give all custom roles. ' +
      'Only an owner makes owners, and the last one stays.',
    access: { action: 'update*', others: ['viewMember'] },
    params: ById,
    ...takesPatches('Member', { json: true }),
    reply: { 200: MemberRep },
  },
  async (call, { changes, db }) => {
    const patch = readDocumentPatch(call, ['json']);
    const after = await changes.run(call, async (tx) => {
      const member = await openMember(tx.db, call.params.id, call.caller);
      const auditFields = { comment: patch.comment, update: updateOf(patch) };
      const changed = await changeMember(tx, member, patchMember(member, patch), auditFields);
      if (changed === member) requireAnyPermission(call, MEMBER_ACTIONS, memberResource(member));
      call.can(memberResource(member), 'viewMember');
      return changed;
    });
    return showMember(db, after, { withAttributes: true });
  },
);

const deleteMemberRoute = route(
  {
    id: 'deleteMember',
    method: 'DELETE',
    path: '/members/{id}',
    summary: 'Remove a member from the account',
    description:
      'Their sessions and personal tokens end at once; service tokens that they made go on. An owner cannot be removed.',
    access: { action: 'deleteMember' },
    params: ById,
    reply: { 204: null },
  },
  async (call, { changes, endMember }) => {
    await changes.run(call, async (tx) => {
      const member = await openMember(tx.db, call.params.id, call.caller);
      const access = { action: 'deleteMember', resource: memberResource(member) };
      call.requirePermission(access.resource);
      checkRank(call.caller, member, access);
      await removeMember(tx, member, endMember);
    });
    return reply(204);
  },
);

const postMemberTeams = route(
  {
    id: 'postMemberTeams',
    method: 'POST',
    path: '/members/{id}/teams',
    summary: 'Take a member into teams',
    access: { action: 'updateTeamMembers' },
    params: ById,
    body: Type.Object({ teamKeys: Type.Array(Key(), { minItems: 1, maxItems: 100 }) }),
    reply: { 201: MemberRep },
  },
  async (call, { changes, db }) => {
    const member = await changes.run(call, async (tx) => {
      const found = await readMember(tx.db, call.params.id, call.caller);
      await joinTeams(tx, { teamKeys: call.body.teamKeys, memberIds: [found.id] });
      return found;
    });
    return reply(201, await showMember(db, member));
  },
);

export const memberRoutes = [getMembers, getMember, patchMemberRoute, deleteMemberRoute, postMemberTeams];

/** A service token does not act as its creator. */
function isMe({ member, token }: KnownCaller, { id }: { id: string }): boolean {
  return member.id === id && token?.isService !== true;
}

/** Resolves `me` to the caller. */
function idFrom(name: string, { member, token }: KnownCaller): string {
  if (name === 'me' && token?.isService !== true) return member.id;
  if (!couldBeId(name)) throw unknownThing('member', name);
  return name;
}

async function readMember(db: Db, name: string, caller: KnownCaller): Promise<MemberRecord> {
  const [member] = await listMemberRecords(db, [idFrom(name, caller)]);
  if (member === undefined) throw unknownThing('member', name);
  return member;
}

/** Locks the member until the transaction ends. */
async function openMember(tx: Db, name: string, caller: KnownCaller): Promise<MemberRecord> {
  const [member] = await lockMemberRecords(tx, [idFrom(name, caller)]);
  if (member === undefined) throw unknownThing('member', name);
  return member;
}

async function showMember(db: Db, member: MemberRecord, parts: MemberExpansions = {}) {
  const teams = await teamsOf(db, [member]);
  return toMember(member, { teams: teams(member), grants: await listMemberGrants(db, member.id), ...parts });
}

/** The teams of several members, with the roles of each team. */
export async function teamsOf(db: Db, members: readonly MemberRecord[]) {
  const memberships = await listMemberTeams(
    db,
    members.map(({ id }) => id),
  );
  const roles = await listTeamRoles(db, [...new Set(memberships.map(({ team }) => team.id))]);
  return ({ id }: MemberRecord) =>
    memberships
      .filter(({ memberId }) => memberId === id)
      .map(({ team }) => ({
        team,
        roleKeys: roles.filter(({ teamId }) => teamId === team.id).map(({ key }) => key),
      }));
}
