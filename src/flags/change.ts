// A change to anything of the flag service: the permissions it takes are asked, and it is written down where it happens.
import type { Access, Actor } from '../kernel/events.ts';
import { recordEvent } from '../kernel/events.ts';
import type { Call } from '../kernel/route.ts';
import type { Db } from '../kernel/storage/tables.ts';
import { withoutTags } from './resources.ts';

export interface Change {
  /** What it took. The entry is filed under the first. */
  accesses: readonly [Access, ...Access[]];
  /** What sort of thing changed (`flag`), and its name. */
  kind: string;
  name: string;
  /** What was done, to stand between who and the name: `turned on the flag`. */
  verb: string;
  /** One line for each change, in Markdown. */
  description?: string;
  /** As the API shows it, in detail, but without secrets. Absent for what did not exist. */
  before?: unknown;
  after?: unknown;
  comment?: string | undefined;
  /** The update as it came, in the words of the patch kind: `{patch: […]}`, `{merge: {…}}` or `{instructions: […]}`. */
  update?: { patch: unknown } | { merge: unknown } | { instructions: unknown };
}

/** What an event holds for the audit log beside its columns. */
export interface ChangeDetail {
  verb: string;
  description?: string;
  update?: Change['update'];
}

/** Asks for every permission that the change takes. */
export function demandAll(call: Pick<Call, 'demand'>, accesses: readonly Access[]): void {
  for (const { action, resource } of accesses) call.demand(resource, action);
}

/** In the transaction of the change. Whoever records must `engine.notify('due')` after the commit, for the webhooks. */
export async function recordChange(tx: Db, actor: Actor, change: Change): Promise<void> {
  const { accesses, kind, name, verb, description, before, after, comment, update } = change;
  const [{ action, resource }] = accesses;
  const detail: ChangeDetail = { verb, ...(description && { description }), ...(update && { update }) };
  await recordEvent(tx, actor, {
    action,
    resource: withoutTags(resource),
    accesses: [...accesses],
    kind,
    name,
    before,
    after,
    comment,
    detail,
  });
}
