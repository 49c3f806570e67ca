// The field over the list: words, and tokens such as `tag:web` that become removable marks once they are complete.
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useKeys } from '../../ui/keys.ts';
import { words as UI_WORDS } from '../../ui/words.ts';
import { splitTyped, TOKEN_NAMES, tokenText, withoutToken, withToken, type FilterToken } from './filter.ts';
import { LIST_WORDS as WORDS } from './list-words.ts';
import { useTagsWith } from './list-queries.ts';

export interface TokenFilterProps {
  words: string;
  tokens: readonly FilterToken[];
  onChange: (words: string, tokens: readonly FilterToken[]) => void;
  /** Completions of tokens about environments name these; the first stands in where none is typed. */
  environments: readonly string[];
}

/** Shorter than people notice, longer than between two keys of a fast typist. */
const TYPING_MS = 90;
/** Who begins to type, or pastes, does not wait for more keys. */
const PAUSE_MS = 600;
const MAX_COMPLETIONS = 8;

export function TokenFilter({ words, tokens, onChange, environments }: TokenFilterProps) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(words);
  const [seen, setSeen] = useState(words);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const listId = useId();
  const askedAt = useRef(-PAUSE_MS);
  const [main] = environments;
  // What another link put into the address reaches the field.
  if (seen !== words) {
    setSeen(words);
    setTyped(words);
  }
  useEffect(() => {
    const found = searchedWords(typed);
    if (found === words) return undefined;
    const isFirst = performance.now() - askedAt.current >= PAUSE_MS;
    const timer = setTimeout(
      () => {
        askedAt.current = performance.now();
        setSeen(found);
        onChange(found, tokens);
      },
      isFirst ? 0 : TYPING_MS,
    );
    return () => clearTimeout(timer);
  }, [typed, words, tokens, onChange]);
  useKeys({ '/': () => input.current?.select() });

  const completions = useCompletions(typed, environments, tokens);
  const isShown = isOpen && completions.length > 0;
  /** Takes complete tokens out of the text. */
  const take = (text: string) => {
    const found = splitTyped(text, main);
    if (found.tokens.length === 0) return;
    setSeen(found.words);
    setTyped(found.words === '' ? '' : `${found.words} `);
    onChange(found.words, found.tokens.reduce(withToken, [...tokens]));
  };
  const complete = (completion: string) => {
    const text = typed.replace(/\S*$/, completion);
    setAt(-1);
    input.current?.focus();
    if (completion.endsWith(':')) setTyped(text);
    else take(text);
  };
  const clear = () => {
    setSeen('');
    setTyped('');
    onChange('', []);
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { key } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step !== undefined && isShown) {
      event.preventDefault();
      setAt((at + step + completions.length) % completions.length);
    } else if (key === 'Enter') {
      const chosen = isShown ? completions[at] : undefined;
      if (chosen === undefined) take(typed);
      else complete(chosen);
    } else if (key === 'Backspace' && typed === '' && tokens.length > 0) {
      onChange(words, tokens.slice(0, -1));
    } else if (key === 'Escape' && isShown) {
      event.preventDefault();
      setOpen(false);
    } else if (key === 'Escape' && (typed !== '' || tokens.length > 0)) {
      event.preventDefault();
      clear();
    }
  };
  return (
    <div className="filter fl-filter" role="search">
      <Icon name="search" />
      {tokens.map((token) => (
        <span key={tokenText(token)} className="token">
          {tokenText(token)}
          <button
            type="button"
            aria-label={WORDS.removeToken(tokenText(token))}
            onClick={() => {
              onChange(words, withoutToken(tokens, token));
              input.current?.focus();
            }}
          >
            <Icon name="x" size={12} />
          </button>
        </span>
      ))}
      <input
        ref={input}
        type="text"
        data-filter=""
        role="combobox"
        aria-expanded={isShown}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isShown && at >= 0 ? `${listId}${at}` : undefined}
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        spellCheck={false}
        dir="auto"
        aria-label={WORDS.filter}
        aria-keyshortcuts="/"
        placeholder={tokens.length === 0 ? WORDS.placeholder : ''}
        value={typed}
        onChange={({ target: { value } }) => {
          setTyped(value);
          setAt(-1);
          setOpen(true);
          if (value.endsWith(' ')) take(value);
        }}
        onBlur={() => {
          setOpen(false);
          take(typed);
        }}
        onKeyDown={onKeyDown}
      />
      {typed === '' && tokens.length === 0 ? (
        <kbd aria-hidden="true" className="no-s">
          /
        </kbd>
      ) : (
        <Button tone="ghost" size="xs" icon="x" label={UI_WORDS.clearFilter} onClick={clear} />
      )}
      <div
        id={listId}
        className="pop menu fl-complete"
        role="listbox"
        aria-label={WORDS.filter}
        hidden={!isShown}
      >
        {isShown &&
          completions.map((completion, index) => (
            <div
              key={completion}
              id={`${listId}${index}`}
              role="option"
              aria-selected={index === at}
              className="mono"
              // Before the field loses the focus.
              onPointerDown={(event) => {
                event.preventDefault();
                complete(completion);
              }}
            >
              {completion}
            </div>
          ))}
      </div>
    </div>
  );
}

/** A token that is not complete yet is no word to look for. */
function searchedWords(typed: string): string {
  return typed
    .split(/\s+/)
    .filter((word) => !TOKEN_NAMES.some((name) => word.toLowerCase().startsWith(`${name}:`)))
    .join(' ')
    .trim();
}

/** Of the last word. */
function useCompletions(
  typed: string,
  environments: readonly string[],
  tokens: readonly FilterToken[],
): string[] {
  const last = /\S*$/.exec(typed)![0].toLowerCase();
  const tag = /^tag:(.*)$/.exec(last)?.[1];
  const tags = useTagsWith(tag);
  if (last.length < 2) return [];
  const places = environments.length === 0 ? [''] : environments.map((key) => `@${key}`);
  const inPlaces = (start: string) => places.map((place) => `${start}${place}`);
  const known = last.includes(':')
    ? [
        ...tags.map((one) => `tag:${one}`),
        'owner:me',
        ...inPlaces('state:on'),
        ...inPlaces('state:off'),
        'state:archived',
        'state:deprecated',
        ...inPlaces('changed:1d'),
        ...inPlaces('changed:7d'),
        ...inPlaces('changed:30d'),
        ...inPlaces('has:schedule'),
        ...inPlaces('has:approval'),
        'is:stale',
        'is:temporary',
        'is:permanent',
      ]
    : TOKEN_NAMES.map((name) => `${name}:`);
  const present = new Set(tokens.map(tokenText));
  return known
    .filter((one) => one.toLowerCase().startsWith(last) && !present.has(one))
    .slice(0, MAX_COMPLETIONS);
}
