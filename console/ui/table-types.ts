// What a table is made of.
import type { ReactNode } from 'react';

export interface TableColumn<Row> {
  id: string;
  head: ReactNode;
  /** In the main cell it is the text of the link, so nothing in it may be pressed. */
  cell: (row: Row) => ReactNode;
  /** Beside the link of the main cell: a copy button, a badge. */
  aside?: ((row: Row) => ReactNode) | undefined;
  align?: 'start' | 'end' | undefined;
  /** The cell that names the row: the heading where rows are cards, and the link where rows have one. */
  isMain?: boolean | undefined;
  /** Columns leave narrow windows in order of importance: `low` first. */
  priority?: 'mid' | 'low' | undefined;
  /** The name by which the list is sorted; undefined where it cannot be. */
  sort?: string | undefined;
  /** The name of the value where rows are cards; `head` where that is a text. Null leaves it out. */
  cardLabel?: string | null | undefined;
  /** A column at the end with nothing but a menu. */
  isEnd?: boolean | undefined;
  /** Of its cells and its head, for widths and grounds of its own. */
  className?: string | undefined;
}

export interface TableSelection {
  selected: ReadonlySet<string>;
  onChange: (selected: Set<string>) => void;
  /** Of all rows that were read, where some of them are drawn later. */
  keys?: readonly string[] | undefined;
}

export interface TableProps<Row> {
  label: string;
  columns: TableColumn<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
  /** The name of a row, for its checkbox; its key where it is not given. */
  rowLabel?: ((row: Row) => string) | undefined;
  rowHref?: ((row: Row) => string) | undefined;
  /** Called when a row is pointed at or focused. */
  onPrefetch?: ((row: Row) => void) | undefined;
  selection?: TableSelection | undefined;
  /** The name of the sorted column, with `-` before it for descending. */
  sort?: string | undefined;
  onSort?: ((sort: string) => void) | undefined;
  /** The first page is on its way, or rows are being fetched anew: those that are there stay. */
  isLoading?: boolean | undefined;
  footer?: ReactNode;
  emptyState?: ReactNode;
  /** How many rows there are on the server, where `rows` holds only those that were fetched. */
  rowCount?: number | undefined;
  isCompact?: boolean | undefined;
}

/** A row with all that its markup needs. */
export interface TableRowProps<Row> {
  table: TableProps<Row>;
  row: Row;
  index: number;
  isSelected: boolean;
  onSelect: (index: number, isSelected: boolean, hasShift: boolean) => void;
  measure?: ((element: HTMLTableRowElement | null) => void) | undefined;
}
