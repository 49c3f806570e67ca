// Finds one of many projects or environments: by typing, among the recent ones, or by the arrow keys.
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { FilterInput } from '../../ui/input.tsx';
import { SWITCHER_WORDS as WORDS } from './switcher-words.ts';

interface Named {
  key: string;
  name: string;
}

export interface PlacePickerProps<Item extends Named> {
  items: readonly Item[];
  current: string;
  /** Keys; the last one first. */
  recent: readonly string[];
  words: { find: string; none: string };
  show: (item: Item) => ReactNode;
  onChoose: (key: string) => void;
}

/** More than these are found by typing. */
const MAX_SHOWN = 50;
/** Below it one sees them all. */
const MANY = 8;

export function PlacePicker<Item extends Named>(props: PlacePickerProps<Item>) {
  const { items, current, recent, words, show, onChoose } = props;
  const [typed, setTyped] = useState('');
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector('input')?.focus(), []);
  const wanted = typed.trim().toLowerCase();
  const fitting = items.filter(
    ({ key, name }) => key.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted),
  );
  const last =
    wanted === '' && items.length > MANY
      ? recent.flatMap((key) => items.find((one) => one.key === key) ?? [])
      : [];
  const shown = fitting.slice(0, MAX_SHOWN);
  const option = (item: Item, group: string) => (
    <button
      key={`${group} ${item.key}`}
      type="button"
      aria-current={item.key === current ? 'true' : undefined}
      onClick={() => onChoose(item.key)}
    >
      {show(item)}
    </button>
  );
  return (
    // The keys move between the buttons inside.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={box}
      className="picker stack stack--8"
      onKeyDown={(event) => onArrows(event, fitting[0]?.key, onChoose)}
    >
      <FilterInput value={typed} onChange={setTyped} label={words.find} hasSlashKey={false} />
      <div className="menu picker__list">
        {last.length > 0 && <p className="h4">{WORDS.recent}</p>}
        {last.map((item) => option(item, 'recent'))}
        {last.length > 0 && <p className="h4">{WORDS.all}</p>}
        {shown.map((item) => option(item, 'all'))}
      </div>
      {fitting.length === 0 && <p className="t13 muted">{words.none}</p>}
      {fitting.length > shown.length && <p className="help">{WORDS.more(fitting.length - shown.length)}</p>}
    </div>
  );
}

/** Enter in the field takes the first that fits. */
function onArrows(
  event: KeyboardEvent<HTMLElement>,
  first: string | undefined,
  onChoose: (key: string) => void,
): void {
  const { target, key } = event;
  const isField = target instanceof HTMLInputElement;
  if (key === 'Enter' && isField && first !== undefined) {
    event.preventDefault();
    return onChoose(first);
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined) return undefined;
  event.preventDefault();
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, .picker__list button')];
  const at = stops.findIndex((one) => one === document.activeElement);
  stops.at(Math.max(0, Math.min(at + step, stops.length - 1)))?.focus();
  return undefined;
}
