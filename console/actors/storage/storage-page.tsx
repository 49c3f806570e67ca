// One storage: its kind decides what is shown.
import '../../styles/lists.css';
import '../../styles/storage.css';
import { useParams } from 'wouter';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { DatasetView } from './dataset/dataset-view.tsx';
import { QueueView } from './queue/queue-view.tsx';
import { StoreView } from './records/store-view.tsx';
import { useStorage } from './storage-queries.ts';
import {
  hrefOf,
  isKind,
  titleOf,
  type Dataset,
  type Queue,
  type Storage,
  type StorageKind,
  type Store,
} from './storage.ts';
import { KIND_WORDS, WORDS } from './storage-words.ts';

export default function StoragePage() {
  const { kind, id } = useParams<{ kind: string; id: string }>();
  if (!isKind(kind))
    return (
      <main id="main" className="page" tabIndex={-1}>
        <EmptyState icon="disk" title={WORDS.noSuchKind} text={WORDS.noSuchKindText} />
      </main>
    );
  return <KnownStoragePage key={`${kind} ${id}`} kind={kind} id={id} />;
}

function KnownStoragePage({ kind, id }: { kind: StorageKind; id: string }) {
  const { storage, error, refetch } = useStorage(kind, id, { isFollowed: true });
  const name = storage === undefined ? id : titleOf(storage);
  usePageInfo([
    { label: WORDS.storage, href: '/storage' },
    { label: KIND_WORDS[kind].many, href: `/storage/${kind}` },
    { label: name, href: hrefOf(kind, id), copy: id },
  ]);
  if (storage === undefined)
    return (
      <main id="main" className="page" tabIndex={-1}>
        {error === null ? (
          <Skeleton lines={8} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )}
      </main>
    );
  return <View kind={kind} storage={storage} />;
}

function View({ kind, storage }: { kind: StorageKind; storage: Storage }) {
  if (kind === 'datasets') return <DatasetView dataset={storage as Dataset} />;
  if (kind === 'stores') return <StoreView store={storage as Store} />;
  return <QueueView queue={storage as Queue} />;
}
