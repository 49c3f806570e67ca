// Finds a file of the repository by parts of its path: the key `t`. The field is there at once, so that nothing that is typed is lost; Enter
// waits for the files.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { useOpenDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { blobHref, type RepositoryPlace } from '../place.ts';
import { useAllFiles } from './files-queries.ts';
import { FILES_WORDS } from './files-words.ts';
import { matchPaths } from './match-paths.ts';

/** A click beside it closes it. */
const CLOSED_BY_ANYTHING = { closedby: 'any' } as const;

export interface FinderProps {
  place: RepositoryPlace;
  gitRef: string;
  onClose: () => void;
}

export function Finder({ place, gitRef, onClose }: FinderProps) {
  const { finder } = FILES_WORDS;
  const dialog = useOpenDialog(onClose);
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const [isSent, setSent] = useState(false);
  const { data, error } = useAllFiles(place, gitRef);
  const paths = useMemo(
    () => (data?.tree ?? []).filter(({ type }) => type !== 'tree').map(({ path }) => path),
    [data],
  );
  const found = useMemo(() => matchPaths(paths, typed), [paths, typed]);
  const chosen = found[at];
  const open = (path: string | undefined) => {
    if (path === undefined) return;
    onClose();
    navigate(blobHref(place, gitRef, path));
  };
  const openChosen = useRef(() => open(chosen));
  useEffect(() => {
    openChosen.current = () => open(chosen);
  });
  const isDue = isSent && data !== undefined;
  useEffect(() => {
    if (isDue) openChosen.current();
  }, [isDue]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      const next = (at + step + found.length) % found.length;
      setAt(next);
      document.getElementById(`found-${next}`)?.scrollIntoView({ block: 'nearest' });
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) setSent(true);
  };
  return (
    <dialog ref={dialog} className="pal-pop" aria-label={finder.title} {...CLOSED_BY_ANYTHING}>
      <div className="pal">
        <div className="pal__in">
          <Icon name="search" />
          <input
            autoFocus
            role="combobox"
            aria-expanded="true"
            aria-controls="found-files"
            aria-activedescendant={chosen === undefined ? undefined : `found-${at}`}
            aria-label={finder.title}
            placeholder={finder.placeholder}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              setAt(0);
              setSent(false);
            }}
            onKeyDown={onKeyDown}
          />
          <kbd>Esc</kbd>
        </div>
        <div id="found-files" className="pal__list" role="listbox" aria-label={finder.results}>
          {found.map((path, index) => (
            <button
              key={path}
              type="button"
              id={`found-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onClick={() => open(path)}
            >
              <Icon name="file" />
              <span className="cut mono t12">{path}</span>
              {index === at && <kbd>Enter</kbd>}
            </button>
          ))}
        </div>
        {error !== null && <p className="pal__none bad">{error.message}</p>}
        {data === undefined && error === null && <p className="pal__none">{finder.loading}</p>}
        {data !== undefined && found.length === 0 && <p className="pal__none">{finder.none}</p>}
        <div className="pal__f">{data?.truncated === true ? finder.truncated : finder.hint}</div>
      </div>
    </dialog>
  );
}
