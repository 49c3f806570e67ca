// A change of configuration as it is written down: what was done to which thing, by whom, and what it took.
import { newId } from '../id.ts';
import type { KnownCaller } from '../identity/caller.ts';
import type { Access, Actor } from './actor.ts';

export interface Change {
  /** What it took. The entry is filed under the first. */
  accesses: readonly [Access, ...Access[]];
  /** What is demanded instead, where what the entry names does not depend on who asks, and the permission does. */
  demands?: readonly Access[];
  /** What sort of thing changed (`flag`), and its name at the time. */
  kind: string;
  name: string;
  /** What was done, to stand between who and the name: `turned on the flag`. */
  verb: string;
  /** In Markdown, a line for each thing that changed. */
  description?: string;
  /** As the API shows it, in detail, but without secrets. Absent for what did not exist. */
  before?: unknown;
  after?: unknown;
  comment?: string | undefined;
  update?: Update;
}

/** The update as it came, in the words of the patch kind. */
export type Update = { patch: unknown } | { merge: unknown } | { instructions: unknown };

/** Who did it, as they were then: the entry must stay true when they are renamed or gone. */
export interface ChangedBy {
  member?: { _id: string; email: string; firstName?: string; lastName?: string };
  token?: { _id: string; name: string; ending: string; serviceToken: boolean };
}

/** An entry of the audit log. */
export interface AuditEntry extends Omit<Change, 'accesses' | 'demands'> {
  id: string;
  at: number;
  accesses: readonly Access[];
  /** Without tags. */
  resource: string;
  who: ChangedBy;
}

export function toAuditEntry({ now, caller }: Actor, { demands: _demands, ...change }: Change): AuditEntry {
  const [{ resource }] = change.accesses;
  return { ...change, id: newId(now), at: now, resource: withoutTags(resource), who: whoIs(caller) };
}

/** The name without its tags: it stays the same while tags come and go, so that entries are filed under it. */
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
