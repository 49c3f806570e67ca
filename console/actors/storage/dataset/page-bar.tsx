// Which page of items is shown, and the way to the pages beside it.
import { Button } from '../../../ui/button.tsx';
import { formatCount } from '../../../ui/format.ts';
import { WORDS } from './dataset-words.ts';

export interface PageBarProps {
  first: number;
  count: number;
  size: number;
  total: number;
  onOffset: (row: number) => void;
}

export function PageBar({ first, count, size, total, onOffset }: PageBarProps) {
  const last = first + count;
  return (
    <div className="row row--wrap ds-pages">
      <span role="status" className="t13 muted">
        {WORDS.page(formatCount(first + 1), formatCount(last), formatCount(total))}
      </span>
      <span className="row row--4 push">
        <Button
          size="sm"
          icon="left"
          disabledReason={first === 0 ? WORDS.firstPage : undefined}
          onClick={() => onOffset(Math.max(0, first - size))}
        >
          {WORDS.previous}
        </Button>
        <Button
          size="sm"
          icon="right"
          disabledReason={last >= total ? WORDS.lastPage : undefined}
          onClick={() => onOffset(first + size)}
        >
          {WORDS.next}
        </Button>
      </span>
    </div>
  );
}
