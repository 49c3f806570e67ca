// Tables: own markup, so that they stay light. The server sorts and filters; this draws, selects and moves.
// Below 640 px rows become cards, and the roles are written out, for some readers lose them there. Above 200 rows
// only those are drawn that are near the window.
import { lazy, Suspense, useRef } from 'react';
import { CheckboxBox } from './choice.tsx';
import { classNames } from './class-names.ts';
import { formatCount } from './format.ts';
import { Icon } from './icon.tsx';
import { useListWalk } from './list-walk.ts';
import { EmptyState, Skeleton } from './states.tsx';
import { TableRow } from './table-row.tsx';
import type { TableColumn, TableProps } from './table-types.ts';
import { useTableKeys } from './use-table-keys.ts';
import { allKeys, useTableSelection } from './use-table-selection.ts';
import { words } from './words.ts';

export type { TableColumn, TableProps } from './table-types.ts';

/** Above it rows are drawn only near the window. */
const virtualFrom = 200;
const VirtualRows = lazy(async () => import('./table-virtual.tsx'));

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey, selection, isLoading = false, footer, emptyState } = props;
  const element = useRef<HTMLTableElement>(null);
  const scrollTo = useRef<(index: number) => void>(undefined);
  const { select, toggleAll } = useTableSelection(props);
  useListWalk(element, props);
  useTableKeys({ element, rows: props.rows, scrollTo, select, selection, rowKey });

  const isVirtual = rows.length > virtualFrom;
  const rowProps = rows.slice(0, isVirtual ? virtualFrom : undefined).map((row, index) => ({
    key: rowKey(row),
    props: {
      table: props,
      row,
      index,
      isSelected: selection?.selected.has(rowKey(row)) ?? false,
      onSelect: select,
    },
  }));
  const plainRows = (
    <tbody role="rowgroup">
      {rowProps.map((each) => (
        <TableRow key={each.key} {...each.props} />
      ))}
    </tbody>
  );

  if (rows.length === 0 && !isLoading) {
    return <>{emptyState ?? <EmptyState icon="ring" title={words.emptyTable} />}</>;
  }
  return (
    <div className="tw tw--cards">
      <table
        ref={element}
        className={classNames('tb', 'tb--cards', props.isCompact && 'tb--c')}
        role="table"
        aria-label={label}
        aria-busy={isLoading}
        aria-rowcount={
          isVirtual || props.rowCount !== undefined ? (props.rowCount ?? rows.length) + 1 : undefined
        }
        data-has-keys=""
      >
        <thead role="rowgroup">
          <tr role="row" aria-rowindex={isVirtual ? 1 : undefined}>
            {selection !== undefined && (
              <th className="c-x" role="columnheader" scope="col">
                <CheckboxBox
                  label={words.selectAll}
                  isChecked={rows.length > 0 && allKeys(props).every((key) => selection.selected.has(key))}
                  isIndeterminate={
                    selection.selected.size > 0 && allKeys(props).some((key) => !selection.selected.has(key))
                  }
                  onChange={toggleAll}
                />
              </th>
            )}
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </tr>
        </thead>
        {isVirtual ? (
          <Suspense fallback={plainRows}>
            <VirtualRows
              // A lazy component cannot be generic: what is drawn is only known to the table's own functions.
              table={props as unknown as TableProps<unknown>}
              onSelect={select}
              element={element}
              scrollTo={scrollTo}
            />
          </Suspense>
        ) : (
          plainRows
        )}
      </table>
      {rows.length === 0 && (
        <div className="card__b">
          <Skeleton rows={8} />
        </div>
      )}
      {footer !== undefined && <div className="tb__foot">{footer}</div>}
    </div>
  );
}

interface HeadCellProps<Row> {
  column: TableColumn<Row>;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}

function HeadCell<Row>({ column, sort, onSort }: HeadCellProps<Row>) {
  const { head, align, isMain, isEnd, priority } = column;
  const isAscending = column.sort !== undefined && sort === column.sort;
  const isDescending = column.sort !== undefined && sort === `-${column.sort}`;
  const className = classNames(
    isMain && 'c-main',
    isEnd && 'c-end',
    align === 'end' && 'num',
    priority === 'mid' && 'c-mid',
    priority === 'low' && 'c-lo',
    column.className,
  );
  const order = isAscending ? 'ascending' : isDescending ? 'descending' : undefined;
  return (
    <th className={className} role="columnheader" scope="col" aria-sort={order}>
      {column.sort === undefined || onSort === undefined ? (
        <span className={isEnd ? 'vh' : undefined}>{head}</span>
      ) : (
        <button
          type="button"
          className="tb__sort"
          onClick={() => onSort(isAscending ? `-${column.sort}` : (column.sort ?? ''))}
        >
          {head}
          <Icon name={isDescending ? 'down' : 'up'} />
        </button>
      )}
    </th>
  );
}

export interface SelectionBarProps {
  count: number;
  onClear: () => void;
  /** The buttons of what can be done with them. */
  children: React.ReactNode;
}

/** Floats above the end of a list while rows are selected. */
export function SelectionBar({ count, onClear, children }: SelectionBarProps) {
  if (count === 0) return null;
  return (
    <div className="selbar" role="group" aria-label={words.selected(formatCount(count))}>
      <span className="nw w5">{words.selected(formatCount(count))}</span>
      <hr />
      {children}
      <hr />
      <button
        type="button"
        className="btn btn--ghost btn--sm btn--ico"
        aria-label={words.clearSelection}
        onClick={onClear}
      >
        <Icon name="x" />
      </button>
    </div>
  );
}
