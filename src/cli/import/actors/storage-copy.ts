// What copying has in common for all kinds of storages: opening both sides, and reporting what was done.
import {
  differingFields,
  pickFields,
  type RemoteFields,
  reportThing,
  type ImportContext,
  type StorageProgress,
} from './import-context.ts';
import type { ImportKind } from '../import-report.ts';

export type StoragePath = 'key-value-stores' | 'datasets' | 'request-queues';

export interface RemoteStorage extends RemoteFields {
  id: string;
  name?: string | null;
  modifiedAt: string;
  itemCount?: number;
}

export interface StorageCopy {
  kind: StoragePath;
  /** The name on the target. */
  name: string;
  source: RemoteStorage;
  /** Undefined in a dry run where it is missing. */
  target: RemoteStorage | undefined;
  isNew: boolean;
  /** What an earlier import has copied of the source as it is now. */
  progress: StorageProgress;
}

/** What was done with the content of a storage. */
export interface CopiedContent {
  added: number;
  /** Sentences without a full stop: what differs, and what was rejected. */
  kept?: string[];
  failed?: string[];
  /** What was added: `records`. */
  unit: string;
  /** What else was changed. */
  changed?: string[];
}

const FIELDS = ['title', 'generalAccess'];
const DEFAULT_ACCESS = 'FOLLOW_USER_SETTING';

export async function openStorageCopy(
  context: ImportContext,
  kind: StoragePath,
  { id, name }: { id: string; name: string },
): Promise<StorageCopy> {
  const { from, to, owner, state, options } = context;
  const source = await from.get<RemoteStorage>(`/${kind}/${id}`);
  let target = await to.find<RemoteStorage>(`/${kind}/${owner.to.username}~${name}`);
  const isNew = target === undefined;
  if (target === undefined && !options.isDryRun) {
    const { schema } = source;
    const body = schema == null ? {} : { schema };
    // The same name gives the same storage, so it may be repeated.
    target = await to.send<RemoteStorage>('POST', `/${kind}`, body, { query: { name }, isRepeatable: true });
  }
  if (target !== undefined && !options.isDryRun) await completeFields(context, kind, source, target);
  const fresh: StorageProgress = { targetId: target?.id ?? '', sourceModifiedAt: source.modifiedAt };
  const progress = state.find(keyOf(kind, id), fresh) ?? fresh;
  return { kind, name, source, target, isNew, progress };
}

/** The title and the access of a new one, or of one whose creation was interrupted before it had them. */
async function completeFields(
  { to, options }: ImportContext,
  kind: StoragePath,
  source: RemoteStorage,
  target: RemoteStorage,
): Promise<void> {
  const wanted = pickFields(source, FIELDS);
  const isBare = target['title'] == null && (target['generalAccess'] ?? DEFAULT_ACCESS) === DEFAULT_ACCESS;
  if (!isBare && !options.overwrites) return;
  if (differingFields(wanted, target).length > 0) await to.send('PUT', `/${kind}/${target.id}`, wanted);
}

/** From here on, an import that is interrupted goes on after this position. */
export function savePosition(
  { state, options }: ImportContext,
  { kind, source, progress }: StorageCopy,
  position: Pick<StorageProgress, 'position' | 'pass' | 'isDone'>,
): void {
  if (options.isDryRun) return;
  const { targetId, sourceModifiedAt } = progress;
  state.save(keyOf(kind, source.id), { targetId, sourceModifiedAt, ...position });
}

export function finishStorage(context: ImportContext, copy: StorageCopy, content: CopiedContent): void {
  const { kind, name, isNew } = copy;
  const { added, unit, changed = [], kept = [], failed = [] } = content;
  // A storage with something left open is compared again by the next import.
  if (kept.length + failed.length === 0) savePosition(context, copy, { isDone: true });
  const words = [...(added > 0 ? [`${added.toLocaleString('en')} ${unit}`] : []), ...changed];
  const report = (outcome: Parameters<typeof reportThing>[1]['outcome'], reasons: readonly string[]) =>
    reportThing(context, {
      kind: kind satisfies ImportKind,
      name,
      outcome,
      ...(reasons.length > 0 && { reason: reasons.join('; ') }),
    });
  if (failed.length > 0) return report('failed', [...words, ...failed, ...kept]);
  if (kept.length > 0) return report('kept', [...words, ...kept]);
  if (isNew) return report('created', words);
  report(words.length > 0 ? 'changed' : 'unchanged', words);
}

function keyOf(kind: StoragePath, sourceId: string): string {
  return `${kind}/${sourceId}`;
}
