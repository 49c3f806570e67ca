// An Actor with its versions and tagged builds, as a caller may see it.
import { accountOf } from '../../kernel/identity/caller.ts';
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { JsonText, reply, Stream, type Reply } from '../../kernel/http/route.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { actorResource, isOwnerOf, type ActorCall } from './access.ts';
import { toShownActor, type Actor } from './model.ts';
import { listTags } from './store-tags.ts';
import { countRecentUsers } from './store-users.ts';
import { findVersion, findVersionTotals, listVersions } from './store-versions.ts';
import { toVersionJson, type VersionView } from './version.ts';

export const WHOLE_VERSION: VersionView = { envVars: true, source: true };

/** Writing more at once would keep other calls waiting. */
const MAX_BYTES_AT_ONCE = 1024 * 1024;

export async function showActor(
  { db, publicUrl, clock }: Pick<Kernel, 'db' | 'publicUrl' | 'clock'>,
  call: ActorCall,
  actor: Actor,
  status = 200,
): Promise<Reply | Stream> {
  const tags = await listTags(db, actor.id);
  const users = (await countRecentUsers(db, [actor.id], clock.now()))(actor.id);
  const username = await usernameOf(db, call, actor);
  const shown = JSON.stringify(toShownActor(actor, username, users, tags, publicUrl));
  return await withVersions(db, actor.id, viewOf(call, actor), {
    status,
    head: `${shown.slice(0, -1)},"versions":[`,
    tail: ']}',
  });
}

/** A JSON text around the list of versions. */
interface VersionFrame {
  status: number;
  head: string;
  tail: string;
}

/** Sends the sources of many versions one after another, because they may have some megabytes each. */
export async function withVersions(
  db: Db,
  actorId: string,
  view: VersionView,
  { status, head, tail }: VersionFrame,
): Promise<Reply | Stream> {
  const isLarge =
    view.source !== false && (await findVersionTotals(db, actorId)).sourceBytes > MAX_BYTES_AT_ONCE;
  const versions = await listVersions(
    db,
    actorId,
    isLarge || view.source === false ? 'without sources' : undefined,
  );
  if (!isLarge) {
    const list = versions.map((version) => toVersionJson(version, view)).join(',');
    return reply(status, new JsonText(head + list + tail));
  }
  const numbers = versions.map(({ number }) => number);
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return new Stream(piecesOf(db, actorId, numbers, view, { head, tail }), headers, status);
}

/** A version that is deleted meanwhile is left out. */
async function* piecesOf(
  db: Db,
  actorId: string,
  numbers: readonly string[],
  view: VersionView,
  { head, tail }: Pick<VersionFrame, 'head' | 'tail'>,
): AsyncGenerator<string, void> {
  yield `{"data":${head}`;
  // A stream takes no empty piece.
  let separator = ' ';
  for (const number of numbers) {
    const version = await findVersion(db, actorId, number);
    if (version === undefined) continue;
    yield separator;
    yield* slicesOf(toVersionJson(version, view));
    separator = ',';
  }
  yield `${tail}}`;
}

const SLICE_LENGTH = 256 * 1024;

/** Never cuts between the two halves of a character. */
function* slicesOf(text: string): Generator<string, void> {
  for (let start = 0; start < text.length;) {
    const end = start + SLICE_LENGTH;
    const isCut = end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1]!);
    yield text.slice(start, isCut ? end + 1 : end);
    start = isCut ? end + 1 : end;
  }
}

/** Variables are the owner's alone. Others see the sources of a public Actor where its owner shows them. */
function viewOf(call: ActorCall, actor: Actor): VersionView {
  if (isOwnerOf(call.caller, actor)) {
    const isAllowed = call.can(actorResource(actor), 'viewActorVersion');
    return { envVars: isAllowed, source: isAllowed };
  }
  return { envVars: false, source: actor.details.isSourceCodeHidden === false ? 'public' : false };
}

async function usernameOf(db: Db, { caller }: ActorCall, { userId }: Pick<Actor, 'userId'>): Promise<string> {
  const own = accountOf(caller);
  if (own.id === userId) return own.username;
  return (await findAccount(db, { id: userId }))?.username ?? '';
}
