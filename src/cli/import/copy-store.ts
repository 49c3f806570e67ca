// Copies a key-value store: records as they are stored, several at a time, each as a stream.
import { attempt, type ImportContext } from './import-context.ts';
import { copyRecord, digestRecord, hasRecord } from './copy-record.ts';
import { forEachParallel } from './parallel.ts';
import { RemoteError } from './remote-error.ts';
import { eachKeyPage } from './remote-lists.ts';
import { isRetryable } from './retry.ts';
import { finishStorage, openStorageCopy, savePosition, type StorageCopy } from './storage-copy.ts';

const PARALLEL = 8;
/** Names of records in a reason. */
const MAX_NAMED = 5;

/** The id of the store on the target. A store is copied once, though Actors and lists name it. */
export async function copyStore(
  context: ImportContext,
  wanted: { id: string; name: string },
): Promise<string> {
  const { ids } = context;
  const known = ids.stores.get(wanted.id);
  if (known !== undefined) return known;
  const copy = await openStorageCopy(context, 'key-value-stores', wanted);
  const id = copy.target?.id ?? '';
  ids.stores.set(wanted.id, id);
  await attempt(context, { kind: 'key-value-stores', name: wanted.name }, () => copyRecords(context, copy));
  return id;
}

async function copyRecords(context: ImportContext, copy: StorageCopy): Promise<void> {
  const { source, progress, isNew, name } = copy;
  const kept: string[] = [];
  const failed: string[] = [];
  let [added, seen] = [0, 0];
  if (progress.isDone !== true) {
    for await (const page of eachKeyPage(context.from, source.id, progress.position)) {
      await forEachParallel(page, PARALLEL, async ({ key }) => {
        const outcome = await moveRecord(context, copy, key);
        if (outcome === 'added') added += 1;
        if (outcome === 'kept') kept.push(key);
        if (typeof outcome === 'object') failed.push(`${key}: ${outcome.message}`);
        seen += 1;
        context.progress.update(`key-value store ${name}: ${seen.toLocaleString('en')} records`);
      });
      // A position after something that was left out would hide it from the next import.
      if (kept.length + failed.length === 0) savePosition(context, copy, { position: page.at(-1)!.key });
    }
  }
  context.report.content.records += added;
  finishStorage(
    context,
    { ...copy, isNew },
    {
      added,
      unit: added === 1 ? 'record' : 'records',
      ...(kept.length > 0 && { kept: [`differs in ${nameSome(kept)}`] }),
      ...(failed.length > 0 && { failed: [nameSome(failed)] }),
    },
  );
}

async function moveRecord(
  context: ImportContext,
  { source, target, isNew }: StorageCopy,
  key: string,
): Promise<'added' | 'same' | 'kept' | RemoteError> {
  const { from, to, options } = context;
  const there = target !== undefined && !isNew && (await hasRecord(to, target.id, key));
  try {
    if (there) {
      const [wanted, actual] = [
        await digestRecord(from, source.id, key),
        await digestRecord(to, target.id, key),
      ];
      if (wanted === actual || wanted === undefined) return 'same';
      if (!options.overwrites) return 'kept';
    }
    if (options.isDryRun || target === undefined) return 'added';
    return (await copyRecord({ from, to }, { from: source.id, to: target.id }, key)) ? 'added' : 'same';
  } catch (error) {
    if (!(error instanceof RemoteError) || isRetryable(error) || error.status === 401) throw error;
    return error;
  }
}

function nameSome(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
}
