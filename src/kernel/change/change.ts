// A configuration change as the audit log records it: what was changed, by whom, and with which permissions.
import { newId } from '../id.ts';
import type { KnownCaller } from '../identity/caller.ts';
import type { Access, ChangeActor } from '../identity/actor.ts';

export interface Change {
  /** The permissions that it needs. The entry is indexed by the first one's resource. */
  accesses: readonly [Access, ...Access[]];
  /** Checked instead of `accesses`, where the needed permission depends on the caller and the logged one must not. */
  requirements?: readonly Access[];
  /** The type of the changed resource (`flag`), and its name at the time. */
  kind: string;
  name: string;
  /** The phrase between the actor and the name: `turned on the flag`. */
  verb: string;
  /** In Markdown, a line for each thing that changed. */
  description?: string;
  /** The API's detailed representation, without secrets. Absent for a resource that did not exist. */
  before?: unknown;
  after?: unknown;
  comment?: string | undefined;
  update?: Update;
  /** The account that owns the resource, where it belongs to one and not to all members: who may see the entry depends on it. */
  ownerId?: string;
  /** Names a resource that can be given to another account, whatever it is called: `repository/7`. */
  subject?: string;
}

/** The patch as it was sent, by its format. */
export type Update = { patch: unknown } | { merge: unknown } | { instructions: unknown };

/** Copied into the entry, so that it stays correct when the member or token is renamed or deleted. */
export interface ChangedBy {
  member?: { _id: string; email: string; firstName?: string; lastName?: string };
  token?: { _id: string; name: string; ending: string; serviceToken: boolean };
}

/** An entry of the audit log. */
export interface AuditEntry extends Omit<Change, 'accesses' | 'requirements'> {
  id: string;
  at: number;
  accesses: readonly Access[];
  /** Without tags. */
  resource: string;
  who: ChangedBy;
}

export function toAuditEntry(
  { now, caller }: ChangeActor,
  { requirements: _requirements, ...change }: Change,
): AuditEntry {
  const [{ resource }] = change.accesses;
  return { ...change, id: newId(now), at: now, resource: withoutTags(resource), who: whoIs(caller) };
}

/** The resource without its tags, which may change: entries are indexed by it. */
export function withoutTags(resource: string): string {
  return resource.replaceAll(/;[^:]*/g, '');
}

function whoIs(caller: KnownCaller | undefined): ChangedBy {
  if (caller === undefined) return {};
  const { member, token } = caller;
  return {
    member: {
      _id: member.id,
      email: member.email,
      ...(member.firstName !== undefined && { firstName: member.firstName }),
      ...(member.lastName !== undefined && { lastName: member.lastName }),
    },
    ...(token && {
      token: { _id: token.id, name: token.name, ending: token.ending, serviceToken: token.isService },
    }),
  };
}
