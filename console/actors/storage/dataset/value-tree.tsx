// A value as a tree: each part can be opened, and its path copied.
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { formatCount } from '../../../ui/format.ts';
import { TextLink } from '../../../ui/link.tsx';
import { WORDS } from './dataset-words.ts';
import { isWebAddress } from './fields.ts';

/** More are shown on demand. */
const AT_ONCE = 100;
const MOST_CHARACTERS = 20_000;

export interface ValueTreeProps {
  value: unknown;
  /** Of the value in its item: `price.amount`. */
  path: string;
  /** What it is called in what holds it. */
  name: string;
  isOpen?: boolean;
}

export function ValueTree({ value, path, name, isOpen = false }: ValueTreeProps) {
  if (typeof value !== 'object' || value === null)
    return (
      <div className="tree__leaf">
        <PathName name={name} path={path} />
        <Leaf value={value} />
      </div>
    );
  return <Branch value={value} path={path} name={name} isOpen={isOpen} />;
}

function Branch({ value, path, name, isOpen }: Required<ValueTreeProps> & { value: object }) {
  const [isShown, setShown] = useState(isOpen);
  const [most, setMost] = useState(AT_ONCE);
  const isList = Array.isArray(value);
  const parts = Object.entries(value);
  return (
    <details className="tree" open={isShown} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        <PathName name={name} path={path} />
        <span className="muted">
          {isList ? WORDS.elements(formatCount(parts.length)) : WORDS.members(formatCount(parts.length))}
        </span>
      </summary>
      {isShown && (
        <div className="tree__parts">
          {parts.slice(0, most).map(([key, part]) => (
            <ValueTree key={key} value={part} name={key} path={pathOf(path, key, isList)} />
          ))}
          {parts.length > most && (
            <Button size="sm" onClick={() => setMost(most + AT_ONCE)}>
              {WORDS.moreParts(formatCount(parts.length - most))}
            </Button>
          )}
        </div>
      )}
    </details>
  );
}

function PathName({ name, path }: { name: string; path: string }) {
  return (
    <span className="tree__name">
      <span className="mono">{name}</span>
      {path !== '' && <CopyButton text={path} label={WORDS.copyPath(path)} />}
    </span>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (value === undefined) return <span className="muted">{WORDS.absent}</span>;
  if (typeof value !== 'string') return <code className="tree__value">{JSON.stringify(value)}</code>;
  if (isWebAddress(value))
    return (
      <TextLink href={value} isExternal>
        <span className="tree__value">{value}</span>
      </TextLink>
    );
  const isCut = value.length > MOST_CHARACTERS;
  return (
    <span className="tree__value">
      {value === '' ? <span className="muted">{WORDS.emptyText}</span> : value.slice(0, MOST_CHARACTERS)}
      {isCut && <span className="muted"> {WORDS.cut(formatCount(value.length))}</span>}
    </span>
  );
}

/** As programs write it. */
export function pathOf(parent: string, key: string, isIndex: boolean): string {
  if (isIndex) return `${parent}[${key}]`;
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${parent}[${JSON.stringify(key)}]`;
  return parent === '' ? key : `${parent}.${key}`;
}
