// The right edge of the head of a column: dragged, it makes the column narrower or wider; a double click makes it as wide as usual.
// By keyboard and with a finger, the list of columns does the same.
import { useRef, type PointerEvent } from 'react';
import { withinBounds } from './column-widths.ts';

export interface ColumnEdgeProps {
  width: number;
  /** While it is dragged; undefined when it is over. */
  onDrag: (width: number | undefined) => void;
  /** Undefined: as wide as usual. */
  onWidth: (width: number | undefined) => void;
}

export function ColumnEdge({ width, onDrag, onWidth }: ColumnEdgeProps) {
  const drag = useRef<{ from: number; width: number; last: number }>(undefined);
  const end = (event: PointerEvent<HTMLElement>) => {
    const { current } = drag;
    drag.current = undefined;
    if (current === undefined) return;
    event.currentTarget.releasePointerCapture(event.pointerId);
    if (current.last !== current.width) onWidth(current.last);
    onDrag(undefined);
  };
  return (
    <span
      aria-hidden="true"
      className="ds__edge"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { from: event.clientX, width, last: width };
      }}
      onPointerMove={({ clientX }) => {
        const { current } = drag;
        if (current === undefined) return;
        current.last = withinBounds(current.width + clientX - current.from);
        onDrag(current.last);
      }}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={() => onWidth(undefined)}
    />
  );
}
