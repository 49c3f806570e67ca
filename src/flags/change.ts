// A change to anything of the flag service: the permissions it takes are asked, and it is written down where it happens.
import type { CompiledQuery } from 'kysely';
import type { Access, Actor } from '../kernel/events.ts';
import { wakeWorkers } from '../kernel/due.ts';
import { prepareEvent } from '../kernel/events.ts';
import { Failure } from '../kernel/failure.ts';
import type { KnownCaller } from '../kernel/identity/caller.ts';
import { isDenied } from '../kernel/identity/policy.ts';
import type { Call } from '../kernel/route.ts';
import type { Db } from '../kernel/storage/tables.ts';
import { sendAll } from '../kernel/storage/together.ts';
import type { EntryExtras, Update, Who } from './audit-log/entry.ts';
import { toDetail } from './audit-log/model.ts';
import { withoutTags } from './resources.ts';
import { prepareTelling } from './webhooks/deliver.ts';
import type { Webhook } from './webhooks/model.ts';
import { readWebhooks, selectActiveWebhooks } from './webhooks/store.ts';

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
  update?: Update;
}

/** Asks for every permission that the change takes. */
export function demandAll(call: Pick<Call, 'demand'>, accesses: readonly Access[]): void {
  for (const { action, resource } of accesses) call.demand(resource, action);
}

/** For what reaches into an environment from outside: whoever may do it elsewhere may still be denied it there. */
export function demandUndenied(
  caller: KnownCaller | undefined,
  action: string,
  { name }: { name: string },
  resource: string,
): void {
  if (caller === undefined || !isDenied(caller, action, resource)) return;
  throw new Failure('denied', `You are denied ${action} in ${name}: on ${resource}.`, {
    access: { action, resource },
  });
}

/** At the end of the transaction of the change. */
export async function recordChange(tx: Db, actor: Actor, change: Change): Promise<void> {
  await keepChange(tx, prepareChange(tx, actor, change));
}

/** A change as statements, to be sent together with others. */
export interface PreparedChange {
  entry: CompiledQuery;
  /** What it takes to tell those of the webhooks, which are all that are on, that listen. */
  tell(webhooks: readonly Webhook[]): CompiledQuery[];
}

export async function keepChange(tx: Db, { entry, tell }: PreparedChange): Promise<void> {
  const [, webhooks] = await sendAll(tx, [entry, selectActiveWebhooks(tx)]);
  const told = tell(readWebhooks(webhooks!.rows));
  if (told.length === 0) return;
  await sendAll(tx, told);
  await wakeWorkers(tx);
}

export function prepareChange(db: Db, actor: Actor, change: Change): PreparedChange {
  const { accesses, kind, name, verb, description, before, after, comment, update } = change;
  const [{ action, resource: tagged }] = accesses;
  const resource = withoutTags(tagged);
  const extras: EntryExtras = {
    verb,
    ...(description && { description }),
    ...(update && { update }),
    who: whoIs(actor.caller),
  };
  const event = { accesses: [...accesses], resource, kind, name, before, after, comment };
  const { id, statement: entry } = prepareEvent(db, actor, { ...event, action, detail: extras, words: verb });
  const toBody = () => JSON.stringify(toDetail({ ...event, ...extras, id, at: actor.now }));
  const tell: PreparedChange['tell'] = (webhooks) =>
    prepareTelling(db, webhooks, { eventId: id, accesses, toBody }, actor.now);
  return { entry, tell };
}

function whoIs(caller: KnownCaller | undefined): Who {
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
