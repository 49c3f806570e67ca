// One row of a table. The link of the main cell covers the row, so that a press anywhere opens it and the middle
// button opens it in a tab.
import { memo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { CheckboxBox } from './choice.tsx';
import { classNames } from './class-names.ts';
import type { TableColumn, TableRowProps } from './table-types.ts';
import { words } from './words.ts';

function TableRowView<Row>({ table, row, index, isSelected, onSelect, measure }: TableRowProps<Row>) {
  const { columns, rowKey, rowLabel, rowHref, onPrefetch, selection } = table;
  const key = rowKey(row);
  const hasIndex = measure !== undefined || table.rowCount !== undefined;
  return (
    <tr
      ref={measure}
      role="row"
      data-key={key}
      data-index={index}
      tabIndex={-1}
      // The header is the first row.
      aria-rowindex={hasIndex ? index + 2 : undefined}
      aria-selected={selection === undefined ? undefined : isSelected}
      onPointerEnter={onPrefetch === undefined ? undefined : () => onPrefetch(row)}
      onFocus={onPrefetch === undefined ? undefined : () => onPrefetch(row)}
    >
      {selection !== undefined && (
        <td className="c-x" role="cell">
          <CheckboxBox
            label={`${words.selectRow}: ${rowLabel?.(row) ?? key}`}
            isChecked={isSelected}
            onChange={(isChecked, hasShift) => onSelect(index, isChecked, hasShift)}
          />
        </td>
      )}
      {columns.map((column) => (
        <Cell
          key={column.id}
          column={column}
          href={column.isMain ? rowHref?.(row) : undefined}
          aside={column.aside?.(row)}
        >
          {column.cell(row)}
        </Cell>
      ))}
    </tr>
  );
}

/** Drawn again only when its own data changed: a list of 200 rows must not follow each key that is typed. */
export const TableRow = memo(TableRowView, (before, after) => {
  return (
    before.row === after.row &&
    before.index === after.index &&
    before.isSelected === after.isSelected &&
    before.table.columns === after.table.columns &&
    before.table.rowHref?.(before.row) === after.table.rowHref?.(after.row) &&
    (before.table.selection === undefined) === (after.table.selection === undefined) &&
    before.measure === after.measure
  );
}) as typeof TableRowView;

interface CellProps<Row> {
  column: TableColumn<Row>;
  href: string | undefined;
  aside: ReactNode;
  children: ReactNode;
}

function Cell<Row>({ column, href, aside, children }: CellProps<Row>) {
  const { head, align, isMain, isEnd, priority, cardLabel } = column;
  const label =
    cardLabel === undefined ? (typeof head === 'string' ? head : undefined) : (cardLabel ?? undefined);
  const content =
    href === undefined ? (
      children
    ) : (
      <Link href={href} className="tb__link">
        {children}
      </Link>
    );
  return (
    <td
      role="cell"
      data-l={isMain || isEnd ? undefined : label}
      className={classNames(
        isMain && 'c-main',
        isEnd && 'c-end',
        align === 'end' && 'num',
        priority === 'mid' && 'c-mid',
        priority === 'low' && 'c-lo',
        column.className,
      )}
    >
      {aside === undefined ? (
        content
      ) : (
        <span className="row">
          {content}
          {aside}
        </span>
      )}
    </td>
  );
}
