// One row of the graph of commits: as high as the row beside it.
import { cssVars } from '../../ui/css-vars.ts';
import type { GraphRow } from './commit-graph.ts';

const STEP = 14;
/** In units of the picture, which is stretched to the height of the row. */
const HEIGHT = 2;

export function CommitLines({ row: { at, past, from, to }, width }: { row: GraphRow; width: number }) {
  const lines = [
    ...past.map(([top, bottom]) => curve(top, 0, bottom, HEIGHT)),
    ...from.map((top) => curve(top, 0, at, HEIGHT / 2)),
    ...to.map((bottom) => curve(at, HEIGHT / 2, bottom, HEIGHT)),
  ];
  return (
    <span className="graph" aria-hidden="true" style={cssVars({ w: width * STEP, x: middleOf(at) })}>
      <svg viewBox={`0 0 ${width * STEP} ${HEIGHT}`} preserveAspectRatio="none">
        <path d={lines.join('')} />
      </svg>
      <i />
    </span>
  );
}

function middleOf(lane: number): number {
  return lane * STEP + STEP / 2;
}

function curve(from: number, top: number, to: number, bottom: number): string {
  const [start, end] = [middleOf(from), middleOf(to)];
  const middle = (top + bottom) / 2;
  return `M${start} ${top}C${start} ${middle} ${end} ${middle} ${end} ${bottom}`;
}
