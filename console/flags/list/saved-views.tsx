// Filters, orders and columns that somebody gave a name. They are kept with the account; their links work for everybody.
import { useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { CONSOLE } from '../../api/server.ts';
import { savePreferences, usePreferences, type SavedView } from '../../app/me.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { Popover } from '../../ui/popover.tsx';
import { LIST_WORDS as WORDS } from './list-words.ts';

/** As the server takes them. */
const MAX_VIEWS = 50;
const MAX_NAME = 100;

export interface SavedViewsProps {
  /** Names the list. */
  list: string;
  /** Its address below the console. */
  page: string;
  /** What the address of the list says now, without a question mark. */
  query: string;
}

export function SavedViews(props: SavedViewsProps) {
  return (
    <Popover
      trigger={
        <Button icon="view" hasCaret>
          {WORDS.views}
        </Button>
      }
      label={WORDS.viewsLabel}
      alignment="end"
    >
      {(close) => <Views {...props} close={close} />}
    </Popover>
  );
}

function Views({ list, page, query, close }: SavedViewsProps & { close: () => void }) {
  const { views = {} } = usePreferences();
  const [name, setName] = useState('');
  const own = views[list] ?? [];
  const keep = (next: readonly SavedView[]) => {
    const { [list]: _, ...others } = views;
    savePreferences({ views: next.length === 0 ? others : { ...others, [list]: [...next] } });
  };
  const wanted = name.trim();
  const isThere = own.some((view) => view.name === wanted);
  const isFull = own.length >= MAX_VIEWS && !isThere;
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (wanted === '' || isFull) return;
    keep([...own.filter((view) => view.name !== wanted), { name: wanted, query }]);
    setName('');
  };
  const hrefOf = (view: SavedView) => (view.query === '' ? page : `${page}?${view.query}`);
  return (
    <div className="fl-views stack">
      {own.length === 0 ? (
        <p className="t13 muted">{WORDS.noViews}</p>
      ) : (
        <ul>
          {own.map((view) => (
            <li key={view.name} className="row row--4">
              <Link href={hrefOf(view)} className="ln grow cut" dir="auto" onClick={close}>
                {view.name}
              </Link>
              <CopyButton text={location.origin + CONSOLE + hrefOf(view)} label={WORDS.copyView(view.name)} />
              <Button
                tone="ghost"
                size="xs"
                icon="trash"
                label={WORDS.deleteView(view.name)}
                onClick={() => keep(own.filter((one) => one !== view))}
              />
            </li>
          ))}
        </ul>
      )}
      <form className="stack stack--8" onSubmit={save}>
        <Field label={WORDS.viewName}>
          <TextInput value={name} onValue={setName} maxLength={MAX_NAME} autoComplete="off" />
        </Field>
        <Button
          type="submit"
          disabledReason={
            isFull ? WORDS.tooManyViews(MAX_VIEWS) : wanted === '' ? WORDS.nameFirst : undefined
          }
        >
          {isThere ? WORDS.saveViewAgain : WORDS.saveView}
        </Button>
      </form>
    </div>
  );
}
