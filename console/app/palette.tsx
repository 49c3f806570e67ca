// Search and commands over everything: Ctrl+K.
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { useSettled } from '../lib/settled.ts';
import { useOpenDialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { groupsFor, readSearch, type PaletteFrame, type PaletteItem } from './palette-items.ts';
import { PALETTE } from './palette-words.ts';
import { preload } from './pages.tsx';
import { useSearch } from './search.ts';

/** A click beside it closes it. */
const CLOSED_BY_ANYTHING = { closedby: 'any' } as const;

export interface PaletteProps extends PaletteFrame {
  start: string;
  onClose: () => void;
}

export default function Palette({ start, onClose, ...frame }: PaletteProps) {
  const [typed, setTyped] = useState(start);
  const [at, setAt] = useState(0);
  const [, navigate] = useLocation();
  const dialog = useOpenDialog(onClose);
  const { text, kinds } = readSearch(useSettled(typed));
  const isCommand = typed.startsWith('>');
  const search = useSearch(isCommand ? '' : text, kinds === undefined ? {} : { kinds });
  const groups = groupsFor(typed, search.data?.items ?? [], frame);
  const items = groups.flatMap((group) => group.items);
  const chosen = items[Math.min(at, items.length - 1)];
  const open = (item: PaletteItem | undefined) => {
    if (item === undefined) return;
    onClose();
    if (typeof item.go === 'string') navigate(item.go);
    else item.go();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((Math.min(at, items.length - 1) + step + items.length) % Math.max(items.length, 1));
    }
    if (event.key === 'Enter') open(chosen);
  };
  const isEmpty = items.length === 0 && text !== '' && search.isSuccess && !search.isPlaceholderData;
  return (
    <dialog ref={dialog} className="pal-pop" aria-label={PALETTE.title} {...CLOSED_BY_ANYTHING}>
      <div className="pal">
        <div className="pal__in">
          <Icon name="search" />
          <input
            autoFocus
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-items"
            aria-activedescendant={chosen && `palette ${chosen.id}`}
            aria-label={PALETTE.title}
            placeholder={PALETTE.placeholder}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
          <kbd>Esc</kbd>
        </div>
        <div id="palette-items" className="pal__list" role="listbox" aria-label={PALETTE.results}>
          {groups.map((group) => (
            <div key={group.label} role="group" aria-label={group.label}>
              <p className="h4" role="presentation">
                {group.label}
              </p>
              {group.items.map((item) => (
                <Option key={item.id} item={item} isChosen={item === chosen} onOpen={() => open(item)} />
              ))}
            </div>
          ))}
        </div>
        {isEmpty && <p className="pal__none">{PALETTE.empty(text)}</p>}
        {search.isError && <p className="pal__none bad">{`${PALETTE.failed} ${search.error.message}`}</p>}
        <div className="pal__f">
          {PALETTE.hints.map(([key, words]) => (
            <span key={key}>
              <kbd>{key}</kbd> {words}
            </span>
          ))}
        </div>
      </div>
    </dialog>
  );
}

function Option({ item, isChosen, onOpen }: { item: PaletteItem; isChosen: boolean; onOpen: () => void }) {
  const row = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    <button
      ref={row}
      type="button"
      id={`palette ${item.id}`}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      onPointerEnter={() => typeof item.go === 'string' && preload(item.go)}
      onClick={onOpen}
    >
      <Icon name={item.icon} />
      <span className="cut">
        <b className="w5">{item.label}</b> <span className="muted">{item.detail}</span>
      </span>
      {isChosen && <kbd>Enter</kbd>}
    </button>
  );
}
