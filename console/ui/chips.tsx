// Quick filters that are always visible, each on or off.
import { formatCount } from './format.ts';

export interface ChipsProps {
  /** An id where labels may be the same. */
  items: { id?: string; label: string; count?: number | undefined; isOn: boolean; onToggle: () => void }[];
  label: string;
}

export function Chips({ items, label }: ChipsProps) {
  return (
    <div className="chips chips--x" role="group" aria-label={label}>
      {items.map((item) => (
        <button
          key={item.id ?? item.label}
          type="button"
          className="chip"
          aria-pressed={item.isOn}
          onClick={item.onToggle}
        >
          {item.label}
          {item.count !== undefined && <b>{formatCount(item.count)}</b>}
        </button>
      ))}
    </div>
  );
}
