// Changes a team: permissions, limits on granting, the update, and the audit entry.
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { requireAllPermissions, knownCaller } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { findRoles } from '../../kernel/identity/store-roles.ts';
import { grantedActions, type TeamGrant, type Team } from '../../kernel/identity/store-member-teams.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Change } from '../../kernel/change/change.ts';
import { checkAttributeGrant, checkCustomGrant, checkTeamGrant } from '../members/grant-rules.ts';
import { listMemberRecords } from '../members/store.ts';
import { couldBeKey } from '../fields.ts';
import { unknownThing } from '../find-project.ts';
import { lockTeams, lockTeam, updateTeam } from './store.ts';
import { sorted } from './instructions.ts';
import { teamAccesses, teamResource, toAuditedTeam, type WholeTeam } from './model.ts';

export async function openTeam(tx: Db, key: string): Promise<WholeTeam> {
  const team = couldBeKey(key) ? await lockTeam(tx, key) : undefined;
  if (team === undefined) throw unknownThing('team', key);
  return team;
}

type AuditFields = Pick<Change, 'comment' | 'update'>;

/** Returns the changed team, or `before` itself if nothing changes. */
export async function changeTeam(
  tx: ChangeTransaction,
  before: WholeTeam,
  wanted: WholeTeam,
  auditFields: AuditFields = {},
): Promise<Team> {
  const [first, ...others] = teamAccesses(before, wanted);
  if (first === undefined) return before;
  const { db, actor } = tx;
  requireAllPermissions(actor, [first, ...others]);
  await checkTeamPower(tx, before, wanted);
  const after = await updateTeam(db, before, wanted, actor.now);
  tx.record({
    accesses: [first, ...others],
    kind: 'team',
    name: after.name,
    verb: 'updated the team',
    before: toAuditedTeam(before),
    after: toAuditedTeam({ ...wanted, ...after }),
    ...auditFields,
  });
  await tx.invalidate(IDENTITY);
  return after;
}

/** Callers cannot grant more than they hold: to the team, to its new members, or to its maintainers. */
export async function checkTeamPower(
  { db, actor }: ChangeTransaction,
  before: WholeTeam,
  wanted: WholeTeam,
): Promise<void> {
  const caller = knownCaller(actor);
  const resource = teamResource(before);
  const roles = await findRoles(db, wanted.roleIds);
  const toRoles = { action: 'updateTeamCustomRoles', resource };
  for (const role of roles) if (!before.roleIds.includes(role.id)) checkCustomGrant(caller, role, toRoles);
  if (!areEqual(before.roleAttributes, wanted.roleAttributes)) {
    checkAttributeGrant(caller, toRoles);
  }
  const old = new Set(before.memberIds);
  if (wanted.memberIds.some((id) => !old.has(id))) {
    checkTeamGrant(caller, { id: before.id, roles }, { action: 'updateTeamMembers', resource });
  }
  const has = (grant: TeamGrant) => before.grants.some((other) => areEqual(other, grant));
  for (const grant of wanted.grants.filter((granted) => !has(granted))) {
    const actions = grantedActions(grant);
    for (const action of actions) actor.requirePermission(resource, action);
    if (!actions.includes('updateTeamMembers')) continue;
    checkTeamGrant(caller, { id: before.id, roles }, { action: 'updateTeamPermissionGrants', resource });
  }
}

/**
 * Adds members to teams, with an audit entry for each team. Callers that do so more than once in a transaction must
 * lock all the teams first.
 */
export async function joinTeams(
  tx: ChangeTransaction,
  { teamKeys, memberIds }: { teamKeys: readonly string[]; memberIds: readonly string[] },
  auditFieldsFor: (teamKey: string, joining: readonly string[]) => AuditFields = () => ({}),
): Promise<void> {
  const { db, actor } = tx;
  await lockTeams(db, teamKeys.filter(couldBeKey));
  for (const key of sorted(teamKeys)) {
    const team = couldBeKey(key) ? await lockTeam(db, key) : undefined;
    if (team === undefined) throw problem('teamKeys', `names an unknown team: ${key}`);
    // Required even if all of them are members already: the reply must not disclose who is in a team.
    actor.requirePermission(teamResource(team), 'updateTeamMembers');
    const inTeam = new Set(team.memberIds);
    const joining = memberIds.filter((id) => !inTeam.has(id));
    const wanted = { ...team, memberIds: sorted([...team.memberIds, ...joining]) };
    await changeTeam(tx, team, wanted, auditFieldsFor(key, joining));
  }
}

export async function requireMembers(db: Db, ids: readonly string[], field: string): Promise<void> {
  const known = new Set((await listMemberRecords(db, ids)).map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw problem(field, `names an unknown member: ${unknown}`);
}
