// The routes that the calls of tokens went to, and the calls that were refused.
import type { RefusedCall, SpendingRoute } from '../../api/types/signalbox.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Meter } from '../../ui/chart.tsx';
import { formatCount } from '../../ui/format.ts';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { limitName } from './limit-table.tsx';
import { LIMITS } from './limits-words.ts';

const { routes, refusals } = LIMITS;

type CalledRoute = Pick<SpendingRoute, 'method' | 'path' | 'operation'>;

function routeName({ method, path, operation }: CalledRoute): string {
  return method === undefined || path === undefined ? (operation ?? routes.unknown) : `${method} ${path}`;
}

function RouteCell({ route }: { route: CalledRoute }) {
  return route.operation === undefined ? (
    <b>{routes.unknown}</b>
  ) : (
    <code className="limits__route">{routeName(route)}</code>
  );
}

export function RouteTable({ items, isLoading }: { items: SpendingRoute[]; isLoading: boolean }) {
  const most = Math.max(1, ...items.map(({ calls }) => calls));
  return (
    <Table
      label={routes.table}
      columns={ROUTE_COLUMNS}
      rows={items.map((item) => ({ ...item, most }))}
      rowKey={(row) => `${row.api} ${row.category} ${row.operation ?? ''}`}
      rowLabel={routeName}
      isLoading={isLoading}
      emptyState={<EmptyState icon="gauge" title={routes.none.title} text={routes.none.text} />}
    />
  );
}

/** With the most calls of all rows, for the bars. */
const ROUTE_COLUMNS: TableColumn<SpendingRoute & { most: number }>[] = [
  { id: 'route', head: routes.route, isMain: true, cell: (row) => <RouteCell route={row} /> },
  { id: 'limit', head: routes.limit, priority: 'mid', cell: limitName },
  {
    id: 'calls',
    head: routes.calls,
    cell: (row) => (
      <span className="limits__used">
        <span className="t13">{formatCount(row.calls)}</span>
        <Meter label={routes.meter(routeName(row))} value={row.calls} max={row.most} />
      </span>
    ),
  },
  { id: 'refused', head: routes.refused, align: 'end', cell: ({ refused }) => <RefusedCount of={refused} /> },
];

export function RefusedCount({ of }: { of: number }) {
  return <span className={of > 0 ? 'bad w5' : undefined}>{formatCount(of)}</span>;
}

export function RefusalTable({ items, isLoading }: { items: RefusedCall[]; isLoading: boolean }) {
  return (
    <Table
      label={refusals.table}
      columns={REFUSAL_COLUMNS}
      rows={items}
      rowKey={({ requestId }) => requestId}
      isLoading={isLoading}
      emptyState={<EmptyState icon="ok" title={refusals.none.title} text={refusals.none.text} />}
    />
  );
}

const REFUSAL_COLUMNS: TableColumn<RefusedCall>[] = [
  { id: 'route', head: refusals.route, isMain: true, cell: (row) => <RouteCell route={row} /> },
  { id: 'at', head: refusals.at, cell: ({ at }) => <Time at={at} /> },
  {
    id: 'token',
    head: refusals.token,
    cell: ({ token: { name, ending } }) => `${name === '' ? LIMITS.unnamed : name} …${ending}`,
  },
  { id: 'limit', head: refusals.limit, priority: 'mid', cell: limitName },
  {
    id: 'id',
    head: refusals.id,
    cell: ({ requestId }) => (
      <span className="row row--4">
        <code className="key">{requestId}</code>
        <CopyButton text={requestId} label={refusals.copy(requestId)} />
      </span>
    ),
  },
];
