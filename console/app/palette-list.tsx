// The items of the palette for what is typed, and what Enter opens.
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useSettled } from '../lib/settled.ts';
import { Icon } from '../ui/icon.tsx';
import { groupsFor, readSearch, type PaletteFrame, type PaletteItem } from './palette-items.ts';
import { PALETTE } from './palette-words.ts';
import { preload } from './pages.tsx';
import { useSearch } from './search.ts';

export interface PaletteListProps extends PaletteFrame {
  typed: string;
  /** How many steps of the arrow keys lie behind; past the last item it goes on with the first. */
  at: number;
  /** Enter was pressed, for what is typed now. */
  isSent: boolean;
  /** There is nothing that Enter could open. */
  onNothing: () => void;
  onChosen: (optionId: string | undefined) => void;
  onClose: () => void;
}

export default function PaletteList(props: PaletteListProps) {
  const { typed, at, isSent, onNothing, onChosen, onClose, showCalls, showKeys } = props;
  const [, navigate] = useLocation();
  const settled = useSettled(typed);
  const { text, kinds } = readSearch(settled);
  const isSearch = !typed.startsWith('>') && text !== '';
  const search = useSearch(isSearch ? text : '', kinds === undefined ? {} : { kinds });
  const groups = groupsFor(typed, search.data?.items ?? [], { showCalls, showKeys });
  const items = groups.flatMap((group) => group.items);
  const chosen = items.at(at % items.length);
  const isFound = search.isSuccess && !search.isPlaceholderData;
  /** Commands and recent pages need no search. */
  const isComplete = typed.startsWith('>') || (settled === typed && (!isSearch || isFound || search.isError));
  const open = (item: PaletteItem | undefined) => {
    if (item === undefined) return onNothing();
    onClose();
    if (typeof item.go === 'string') navigate(item.go);
    else item.go();
  };
  const isMeant = at !== 0 || (chosen !== undefined && chosen.isFound !== true);
  const isDue = isSent && (isComplete || isMeant);
  const openChosen = useRef(() => open(chosen));
  useEffect(() => {
    openChosen.current = () => open(chosen);
  });
  useEffect(() => {
    if (isDue) openChosen.current();
  }, [isDue]);
  const chosenId = chosen && optionId(chosen);
  useEffect(() => onChosen(chosenId), [onChosen, chosenId]);
  const isEmpty = items.length === 0 && text !== '' && isFound;
  return (
    <>
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
    </>
  );
}

const optionId = ({ id }: PaletteItem) => `palette ${id}`;

function Option({ item, isChosen, onOpen }: { item: PaletteItem; isChosen: boolean; onOpen: () => void }) {
  const row = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    <button
      ref={row}
      type="button"
      id={optionId(item)}
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
