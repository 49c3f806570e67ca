import { useState } from 'react';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Menu } from '../ui/menu.tsx';
import { EmptyState } from '../ui/states.tsx';
import { Badge } from '../ui/status.tsx';
import { SelectionBar, Table, type TableColumn } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { nothing, Sample } from './sample.tsx';

interface Token {
  id: string;
  name: string;
  scope: string;
  usedAt: number;
  calls: number;
}

const now = Date.now();
const tokens: Token[] = ['ci-deploy', 'grafana-reader', 'laptop', 'old-importer'].map((name, index) => ({
  id: name,
  name,
  scope: index % 2 === 0 ? 'Write flags in test and staging; build Actors' : 'Read usage',
  usedAt: now - (index * index + 1) * 3_600_000,
  calls: 48_210 >> index,
}));
const many: Token[] = Array.from({ length: 5000 }, (_, index) => ({
  id: `token-${index}`,
  name: `token-${index}`,
  scope: 'Read usage',
  usedAt: now - index * 60_000,
  calls: index,
}));

const columns: TableColumn<Token>[] = [
  {
    id: 'name',
    head: 'Name',
    isMain: true,
    sort: 'name',
    aside: (token) => <CopyButton text={token.id} label={`Copy id ${token.id}`} />,
    cell: (token) => (
      <span className="row">
        <Avatar name={token.name} kind="machine" isDecorative />
        <span className="two">
          <b>{token.name}</b>
          <small className="mono">sbx_{token.name.slice(0, 3)}…9c</small>
        </span>
      </span>
    ),
  },
  { id: 'scope', head: 'Scope', cell: (token) => token.scope },
  { id: 'calls', head: 'Calls', align: 'end', sort: 'calls', cell: (token) => token.calls.toLocaleString() },
  { id: 'used', head: 'Last used', sort: 'used', cell: (token) => <Time at={token.usedAt} /> },
  { id: 'state', head: 'State', priority: 'low', cell: () => <Badge>unused</Badge> },
  {
    id: 'more',
    head: 'More',
    isEnd: true,
    cell: (token) => (
      <Menu
        trigger={<Button tone="ghost" size="xs" icon="dots" label={`More for ${token.name}`} />}
        items={[
          { label: 'Rotate', icon: 'redo', onSelect: nothing },
          { label: 'Revoke', icon: 'trash', tone: 'danger', onSelect: nothing },
        ]}
      />
    ),
  },
];

function tokenKey(token: Token): string {
  return token.id;
}

function tokenHref(token: Token): string {
  return `/account/tokens/${token.id}`;
}

export function TableStates() {
  const [selected, setSelected] = useState(new Set(['laptop']));
  const [sort, setSort] = useState('-used');
  const [isLong, setIsLong] = useState(false);
  return (
    <>
      <Sample name="Selection, sort, links" isStack>
        <div>
          <Table
            label="Tokens"
            columns={columns}
            rows={tokens}
            rowKey={tokenKey}
            rowHref={tokenHref}
            selection={{ selected, onChange: setSelected }}
            sort={sort}
            onSort={setSort}
            footer="4 tokens"
          />
          <SelectionBar count={selected.size} onClear={() => setSelected(new Set())}>
            <Button tone="ghost" size="sm" icon="redo">
              Rotate
            </Button>
            <Button tone="ghost" size="sm" icon="trash">
              Revoke
            </Button>
          </SelectionBar>
        </div>
      </Sample>
      <Sample name="Loading" isStack>
        <Table label="Loading tokens" columns={columns} rows={[]} rowKey={tokenKey} isLoading />
      </Sample>
      <Sample name="Empty" isStack>
        <Table
          label="No tokens"
          columns={columns}
          rows={[]}
          rowKey={tokenKey}
          emptyState={<EmptyState icon="key" title="No tokens yet" text="Keys for scripts and services." />}
        />
      </Sample>
      <Sample name="Five thousand rows" isStack>
        <Button onClick={() => setIsLong(!isLong)}>{isLong ? 'Hide them' : 'Show them'}</Button>
        {isLong && (
          <Table label="Many tokens" columns={columns} rows={many} rowKey={tokenKey} rowHref={tokenHref} />
        )}
      </Sample>
    </>
  );
}
