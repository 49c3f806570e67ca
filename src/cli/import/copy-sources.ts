// Archives with the sources of an Actor, where they are in a key-value store of the source: they move with their store.
import type { ImportContext } from './import-context.ts';
import { copyStore } from './copy-store.ts';

const RECORD = /\/v2\/key-value-stores\/([^/]+)\/records\/([^/]+)$/;

interface ActorIds {
  from: string;
  to: string;
}

/**
 * The URL of the archive on the target; any other URL as it is. A server has several names, so the store alone decides: its id
 * is random.
 */
export async function copySourceStore(
  context: ImportContext,
  actor: ActorIds,
  tarballUrl: string,
): Promise<string> {
  const { from, to, owner, publicUrl, options } = context;
  const url = URL.parse(tarballUrl);
  const [, reference, key] = RECORD.exec(url?.pathname ?? '') ?? [];
  if (reference === undefined) return tarballUrl;
  const store = await from.find<{ id: string; name?: string | null }>(`/key-value-stores/${reference}`);
  if (store === undefined) return tarballUrl;
  const name = nameOfSourceStore(store.name, actor);
  if (options.isDryRun) {
    const there = await to.find<{ id: string }>(`/key-value-stores/${owner.to.username}~${name}`);
    return there === undefined ? tarballUrl : `${publicUrl}/v2/key-value-stores/${there.id}/records/${key}`;
  }
  const id = await copyStore(context, { id: store.id, name });
  return `${publicUrl}/v2/key-value-stores/${id}/records/${key}`;
}

/** Whether both are the same record of one server, under whatever name of the server. */
export function isSameArchive(one: unknown, other: unknown): boolean {
  const [a, b] = [one, other].map((url) => RECORD.exec(URL.parse(String(url))?.pathname ?? '')?.[0]);
  return a !== undefined && a === b;
}

/** `apify push` names the store by the Actor's id, which is another one on the target. */
export function nameOfSourceStore(name: string | null | undefined, actor: ActorIds): string {
  return name == null || name === `actor-${actor.from}-source` ? `actor-${actor.to}-source` : name;
}
