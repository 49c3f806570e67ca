// The columns of a list of storages. What the search finds comes without figures, which each row then reads itself.
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Bytes, Count } from '../../ui/numbers.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useStorage } from './storage-queries.ts';
import { isUnnamed, titleOf, type Storage, type StorageKind } from './storage.ts';
import { ACCESS_WORDS, WORDS } from './storage-words.ts';

export type StorageRow = Pick<Storage, 'id' | 'name' | 'title'> & Partial<Storage>;

export function storageColumns(
  kind: StorageKind,
  onOpen: (what: 'settings' | 'delete', storage: Storage) => void,
): TableColumn<StorageRow>[] {
  const figure = (draw: (storage: Storage) => ReactNode) =>
    function FigureCell(row: StorageRow) {
      return <Whole kind={kind} row={row} draw={draw} />;
    };
  return [
    { id: 'name', head: WORDS.name, isMain: true, cell: (row) => <NameCell row={row} /> },
    ...countColumns(kind, figure),
    {
      id: 'size',
      head: WORDS.size,
      align: 'end',
      cell: figure(({ stats }) => <Bytes value={stats.storageBytes} />),
    },
    { id: 'modified', head: WORDS.modified, cell: figure(({ modifiedAt }) => <Time at={modifiedAt} />) },
    {
      id: 'run',
      head: WORDS.run,
      priority: 'mid',
      cell: figure(({ actRunId }) =>
        actRunId === null ? (
          '–'
        ) : (
          <TextLink href={`/runs/${encodeURIComponent(actRunId)}`} isMono>
            {actRunId}
          </TextLink>
        ),
      ),
    },
    {
      id: 'access',
      head: WORDS.access,
      priority: 'low',
      cell: figure(({ generalAccess }) => <span className="muted">{ACCESS_WORDS[generalAccess].label}</span>),
    },
    {
      id: 'menu',
      head: WORDS.settings,
      isEnd: true,
      cell: figure((storage) => (
        <Menu
          trigger={<Button tone="ghost" size="sm" icon="dots" label={WORDS.actions(titleOf(storage))} />}
          items={[
            { label: WORDS.settings, icon: 'sliders', onSelect: () => onOpen('settings', storage) },
            {
              label: WORDS.remove,
              icon: 'trash',
              tone: 'danger',
              hasLine: true,
              onSelect: () => onOpen('delete', storage),
            },
          ]}
        />
      )),
    },
  ];
}

type Figure = (draw: (storage: Storage) => ReactNode) => (row: StorageRow) => ReactNode;

function countColumns(kind: StorageKind, figure: Figure): TableColumn<StorageRow>[] {
  if (kind === 'datasets')
    return [
      {
        id: 'items',
        head: WORDS.items,
        align: 'end',
        cell: figure(({ itemCount = 0 }) => <Count value={itemCount} />),
      },
    ];
  if (kind === 'stores') return [];
  return [
    {
      id: 'pending',
      head: WORDS.pending,
      align: 'end',
      cell: figure(({ pendingRequestCount = 0 }) => <Count value={pendingRequestCount} />),
    },
    {
      id: 'requests',
      head: WORDS.requests,
      align: 'end',
      cell: figure(({ totalRequestCount = 0 }) => <Count value={totalRequestCount} />),
    },
  ];
}

function NameCell({ row }: { row: StorageRow }) {
  const { id } = row;
  return (
    <span className="two">
      {isUnnamed(row) ? (
        <span className="muted cut">{row.title && row.title !== id ? row.title : WORDS.unnamed}</span>
      ) : (
        <b className="cut">{titleOf(row)}</b>
      )}
      <small className="mono cut">{id}</small>
    </span>
  );
}

interface WholeProps {
  kind: StorageKind;
  row: StorageRow;
  draw: (storage: Storage) => ReactNode;
}

function Whole({ kind, row, draw }: WholeProps) {
  return row.stats === undefined ? <ReadWhole kind={kind} row={row} draw={draw} /> : draw(row as Storage);
}

function ReadWhole({ kind, row, draw }: WholeProps) {
  const { storage } = useStorage(kind, row.id);
  return storage === undefined ? <span className="muted">…</span> : draw(storage);
}
