// Copies the named storages of the source, one after the other.
import { copyDataset } from './copy-dataset.ts';
import { copyQueue } from './copy-queue.ts';
import { nameOfSourceStore } from './copy-sources.ts';
import { copyStore } from './copy-store.ts';
import { attempt, type ImportContext } from './import-context.ts';
import { eachListed } from './remote-lists.ts';
import type { RemoteStorage, StoragePath } from './storage-copy.ts';

export async function copyStorages(context: ImportContext, kind: StoragePath): Promise<void> {
  for await (const { id, name } of eachListed<RemoteStorage>(context.from, `/${kind}`, {
    ownership: 'ownedByMe',
  })) {
    // Some servers list unnamed ones with their id as the name.
    if (name == null || name === id) continue;
    const wanted = { id, name: kind === 'key-value-stores' ? nameOnTarget(context, name) : name };
    await attempt(context, { kind, name: wanted.name }, async () => {
      if (kind === 'key-value-stores') await copyStore(context, wanted);
      else if (kind === 'datasets') await copyDataset(context, wanted);
      else await copyQueue(context, wanted);
    });
  }
}

function nameOnTarget({ ids }: ImportContext, name: string): string {
  const [, actorId] = /^actor-([A-Za-z0-9]{17})-source$/.exec(name) ?? [];
  const to = actorId === undefined ? undefined : ids.actors.get(actorId);
  return to === undefined ? name : nameOfSourceStore(name, { from: actorId!, to });
}
