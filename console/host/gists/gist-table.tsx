// A list of gists.
import type { ReactNode } from 'react';
import { prefetch } from '../../api/read.ts';
import { Count } from '../../ui/numbers.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { loginOf } from '../issues/issue.ts';
import { filesOf, gistHref, titleOf, type Gist } from './gist.ts';
import { gistRead } from './gists-queries.ts';
import { GISTS } from './gists-words.ts';

export interface GistTableProps {
  label: string;
  rows: Gist[];
  /** Off where all have the same. */
  hasOwner: boolean;
  isLoading: boolean;
  emptyState: ReactNode;
  footer: ReactNode;
}

export function GistTable({ hasOwner, ...table }: GistTableProps) {
  return (
    <Table
      {...table}
      columns={hasOwner ? COLUMNS : OWN_COLUMNS}
      rowKey={({ id }) => id}
      rowLabel={titleOf}
      rowHref={({ id }) => gistHref(id)}
      onPrefetch={({ id }) => prefetch(gistRead(id))}
    />
  );
}

export function GistVisibility({ gist }: { gist: Pick<Gist, 'public'> }) {
  return <Badge icon={gist.public ? 'globe' : 'lock'}>{gist.public ? GISTS.public : GISTS.secret}</Badge>;
}

const COLUMNS: TableColumn<Gist>[] = [
  {
    id: 'gist',
    head: GISTS.columns.gist,
    isMain: true,
    cell: (gist) => (
      <span className="two">
        <b className="cut">{titleOf(gist)}</b>
        <small className="cut">{gist.description || GISTS.noDescription}</small>
      </span>
    ),
  },
  {
    id: 'owner',
    head: GISTS.columns.owner,
    priority: 'mid',
    cell: ({ owner }) => <span className="cut">{loginOf(owner)}</span>,
  },
  {
    id: 'visibility',
    head: GISTS.columns.visibility,
    priority: 'mid',
    cell: (gist) => <GistVisibility gist={gist} />,
  },
  {
    id: 'files',
    head: GISTS.columns.files,
    align: 'end',
    priority: 'low',
    cell: (gist) => <Count value={filesOf(gist).length} />,
  },
  {
    id: 'comments',
    head: GISTS.columns.comments,
    align: 'end',
    priority: 'low',
    cell: ({ comments }) => <Count value={comments} />,
  },
  {
    id: 'updated',
    head: GISTS.columns.updated,
    cell: ({ updated_at: at }) => <Time at={at} />,
  },
];

const OWN_COLUMNS = COLUMNS.filter(({ id }) => id !== 'owner');
