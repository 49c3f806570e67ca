// The items of a dataset as a table, of which only the rows in view are drawn and read. Arrow keys move from cell to cell, Enter
// opens one.
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { cssVars } from '../../../ui/css-vars.ts';
import { formatCount } from '../../../ui/format.ts';
import { ReadProblem } from '../../../lib/read-problem.tsx';
import type { Dataset } from '../storage.ts';
import { CellText } from './cell-text.tsx';
import { ColumnEdge } from './column-edge.tsx';
import { widthOf } from './column-widths.ts';
import { WORDS } from './dataset-words.ts';
import type { Field } from './fields.ts';
import { useRowItems } from './items.ts';
import { useViewRows } from './view-rows.ts';

export interface CellPlace {
  row: number;
  field: string;
}

export interface ItemTableProps {
  dataset: Dataset;
  /** Those that stay in view come first. */
  columns: readonly Field[];
  pinned: readonly string[];
  /** Of columns that are not as wide as usual. */
  widths: Readonly<Record<string, number>>;
  /** Undefined: as wide as usual. */
  onWidth: (name: string, width: number | undefined) => void;
  /** The row that the page is opened at. */
  startRow: number;
  opened: CellPlace | undefined;
  onOpen: (place: CellPlace) => void;
  /** The first row in view, when scrolling has ended. */
  onTop: (row: number) => void;
}

const NUMBER_WIDTH = 72;
/** The address follows when scrolling has ended. */
const TOP_MS = 300;

export function ItemTable(props: ItemTableProps) {
  const { dataset, columns, startRow, opened, onOpen, onTop } = props;
  const { itemCount } = dataset;
  const { box, rows, top, bottom, goTo, onScroll } = useViewRows(itemCount, startRow);
  const items = useRowItems(dataset, rows.first, rows.last);
  const { active, setActive, body, onKeyDown } = useGridKeys({
    top,
    bottom,
    goTo,
    itemCount,
    columns,
    onOpen,
  });
  useTop(top, onTop);
  const { laidOut, setDragged } = useLayout(props);
  if (items.error !== undefined) return <ReadProblem error={items.error} onRetry={items.retry} />;
  const indexes = Array.from({ length: rows.last - rows.first + 1 }, (_, offset) => rows.first + offset);
  // One cell can be reached by Tab: that which was moved to, or the same of the first row in view.
  const reachable = indexes.includes(active.row) ? active.row : Math.min(top, itemCount - 1);
  const width = laidOut.reduce((sum, column) => sum + column.width, NUMBER_WIDTH);
  const pinnedWidth = laidOut.reduce((sum, column) => sum + (column.pin === undefined ? 0 : column.width), 0);
  return (
    <>
      <div
        className="tw tw--scroll ds-box"
        style={cssVars({ pinned: `${pinnedWidth}px` })}
        ref={box}
        onScroll={onScroll}
      >
        <table
          className="tb tb--c ds"
          // Its cells are moved between by keys.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
          role="grid"
          aria-label={WORDS.items}
          aria-rowcount={itemCount + 1}
          aria-colcount={columns.length + 1}
          style={{ width: `${width}px` }}
          onKeyDown={onKeyDown}
        >
          <colgroup>
            <col style={{ width: `${NUMBER_WIDTH}px` }} />
            {laidOut.map((column) => (
              <col key={column.name} style={{ width: `${column.width}px` }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              <th className="pin num" scope="col">
                #
              </th>
              {laidOut.map(({ name, type, pin, width: present }) => (
                <th
                  key={name}
                  scope="col"
                  title={name}
                  className={classNames(type === 'number' && 'num', pin && 'ds__stay')}
                  style={pin}
                >
                  <span className="ds__name">{name}</span>{' '}
                  {type !== undefined && <span className="faint">{WORDS.types[type]}</span>}
                  <ColumnEdge
                    width={present}
                    onDrag={(next) => setDragged(next === undefined ? undefined : { name, width: next })}
                    onWidth={(next) => props.onWidth(name, next)}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            <Gap height={rows.before} />
            {indexes.map((row) => {
              const item = items.itemAt(row);
              return (
                <tr key={row} aria-rowindex={row + 2} aria-busy={item === undefined || undefined}>
                  <th className="pin num faint" scope="row">
                    {formatCount(row + 1)}
                  </th>
                  {laidOut.map(({ name, type, pin }, column) => (
                    <td
                      key={name}
                      data-row={row}
                      data-column={column}
                      tabIndex={row === reachable && column === active.column ? 0 : -1}
                      className={classNames(type === 'number' && 'num', pin && 'ds__stay')}
                      style={pin}
                      aria-selected={opened?.row === row && opened.field === name}
                      onClick={() => {
                        setActive({ row, column });
                        onOpen({ row, field: name });
                      }}
                    >
                      {item === undefined ? <span className="ds__wait" /> : <CellText value={item[name]} />}
                    </td>
                  ))}
                </tr>
              );
            })}
            <Gap height={rows.after} />
          </tbody>
        </table>
      </div>
      <div className="ds__foot">
        <span role="status">
          {WORDS.rows(formatCount(top + 1), formatCount(bottom + 1), formatCount(itemCount))}
        </span>
        <span className="push no-s">{WORDS.openHint}</span>
      </div>
    </>
  );
}

/** How wide each column is, and where those that stay in view stand. */
function useLayout({ columns, pinned, widths }: ItemTableProps) {
  const [dragged, setDragged] = useState<{ name: string; width: number }>();
  const sized = columns.map((column) => ({
    ...column,
    width: dragged?.name === column.name ? dragged.width : widthOf(column, widths),
  }));
  const laidOut = sized.map((column, index) => {
    // Those that stay in view come first.
    const left = sized.slice(0, index).reduce((sum, { width }) => sum + width, NUMBER_WIDTH);
    return { ...column, pin: pinned.includes(column.name) ? cssVars({ at: `${left}px` }) : undefined };
  });
  return { laidOut, setDragged };
}

function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr className="tb__gap" aria-hidden="true">
      <td aria-hidden="true" style={{ height: `${height}px` }} />
    </tr>
  );
}

function useTop(top: number, onTop: (row: number) => void): void {
  const report = useRef(onTop);
  useEffect(() => {
    report.current = onTop;
  });
  useEffect(() => {
    const timer = setTimeout(() => report.current(top), TOP_MS);
    return () => clearTimeout(timer);
  }, [top]);
}

interface Cell {
  row: number;
  column: number;
}

interface GridKeys {
  /** The first and the last row in view. */
  top: number;
  bottom: number;
  goTo: (row: number) => void;
  itemCount: number;
  columns: readonly Field[];
  onOpen: (place: CellPlace) => void;
}

function useGridKeys({ top, bottom, goTo, itemCount, columns, onOpen }: GridKeys) {
  const [active, setActive] = useState<Cell>({ row: 0, column: 0 });
  const body = useRef<HTMLTableSectionElement>(null);
  /** Focused once it is drawn. */
  const wanted = useRef<Cell>(undefined);
  useEffect(() => {
    const cell = wanted.current;
    if (cell === undefined) return;
    const element = body.current?.querySelector<HTMLElement>(
      `[data-row="${cell.row}"][data-column="${cell.column}"]`,
    );
    if (element === null || element === undefined) return;
    wanted.current = undefined;
    element.focus({ preventScroll: false });
  });
  const moveTo = (cell: Cell) => {
    const row = Math.max(0, Math.min(cell.row, itemCount - 1));
    const column = Math.max(0, Math.min(cell.column, columns.length - 1));
    wanted.current = { row, column };
    setActive({ row, column });
    if (row < top) goTo(row);
    else if (row > bottom) goTo(row - (bottom - top));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const at = cellOf(event.target);
    if (at === undefined || event.altKey || event.metaKey) return;
    const field = columns[at.column];
    if ((event.key === 'Enter' || event.key === ' ') && field !== undefined) {
      event.preventDefault();
      return onOpen({ row: at.row, field: field.name });
    }
    const next = nextCell(event, at, {
      rows: bottom - top,
      last: itemCount - 1,
      columns: columns.length,
    });
    if (next === undefined) return undefined;
    event.preventDefault();
    return moveTo(next);
  };
  return { active, setActive, body, onKeyDown };
}

function cellOf(target: EventTarget): Cell | undefined {
  const cell = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-row]') : null;
  if (cell === null) return undefined;
  return { row: Number(cell.dataset['row']), column: Number(cell.dataset['column']) };
}

interface GridSize {
  /** In view. */
  rows: number;
  last: number;
  columns: number;
}

function nextCell(
  { key, ctrlKey }: KeyboardEvent<HTMLElement>,
  { row, column }: Cell,
  { rows, last, columns }: GridSize,
): Cell | undefined {
  if (key === 'Home') return { row: ctrlKey ? 0 : row, column: 0 };
  if (key === 'End') return { row: ctrlKey ? last : row, column: columns - 1 };
  if (ctrlKey) return undefined;
  const steps: Record<string, [number, number]> = {
    ArrowDown: [1, 0],
    ArrowUp: [-1, 0],
    ArrowRight: [0, 1],
    ArrowLeft: [0, -1],
    PageDown: [rows, 0],
    PageUp: [-rows, 0],
  };
  const step = steps[key];
  return step === undefined ? undefined : { row: row + step[0], column: column + step[1] };
}
