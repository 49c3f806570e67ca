// The branch or the tag that is shown, and another one by its name.
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useSettled } from '../../lib/settled.ts';
import { Button } from '../../ui/button.tsx';
import { TextInput } from '../../ui/input.tsx';
import { Popover } from '../../ui/popover.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import type { RepositoryPlace } from '../place.ts';
import { useBranches, useMatchingRefs, useTags, type RefKind } from '../queries.ts';
import { isSha, shortSha } from '../repository.ts';
import { REF_WORDS } from './files-words.ts';

export interface RefPickerProps {
  place: RepositoryPlace;
  current: string;
  defaultBranch: string;
  /** The page that shows the same of another reference. */
  hrefOf: (ref: string) => string;
  /** Before the name: what the reference is chosen for. */
  label?: string | undefined;
}

export function RefPicker({ place, current, defaultBranch, hrefOf, label }: RefPickerProps) {
  const shown = isSha(current) ? REF_WORDS.commit(shortSha(current)) : current;
  return (
    <Popover
      label={REF_WORDS.title}
      trigger={
        <Button icon={isSha(current) ? 'commit' : 'branch'} hasCaret title={REF_WORDS.pick(current)}>
          {label !== undefined && <span className="muted">{label}</span>}
          <span className="cut refpick__n">{shown}</span>
        </Button>
      }
    >
      {(close) => <RefList {...{ place, current, defaultBranch, hrefOf, close }} />}
    </Popover>
  );
}

/** More than these are not drawn; typing finds them. */
const MOST = 100;

function RefList({
  place,
  current,
  defaultBranch,
  hrefOf,
  close,
}: Omit<RefPickerProps, 'label'> & { close: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  // It was opened to be typed into.
  useEffect(() => box.current?.querySelector('input')?.focus(), []);
  const [kind, setKind] = useState<RefKind>('heads');
  const [typed, setTyped] = useState('');
  const { names, isLoading, isMany } = useNames(place, kind, useSettled(typed));
  const sorted =
    kind === 'heads' && names.includes(defaultBranch)
      ? [defaultBranch, ...names.filter((name) => name !== defaultBranch)]
      : names;
  return (
    <div ref={box} className="refpick stack stack--8">
      <Segmented
        label={REF_WORDS.kind}
        size="sm"
        value={kind}
        options={[
          { value: 'heads', label: REF_WORDS.branches },
          { value: 'tags', label: REF_WORDS.tags },
        ]}
        onChange={setKind}
      />
      <TextInput
        aria-label={REF_WORDS.filter}
        placeholder={REF_WORDS.filter}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onValue={setTyped}
      />
      {isMany && <p className="muted t12">{REF_WORDS.begins}</p>}
      {isLoading ? (
        <Skeleton lines={4} />
      ) : sorted.length === 0 ? (
        <p className="muted t13">{REF_WORDS.none}</p>
      ) : (
        <ul className="refpick__l">
          {sorted.slice(0, MOST).map((name) => (
            <li key={name}>
              <Link href={hrefOf(name)} aria-current={name === current ? 'true' : undefined} onClick={close}>
                <span className="cut grow">{name}</span>
                {kind === 'heads' && name === defaultBranch && <Badge>{REF_WORDS.default}</Badge>}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Few are filtered here, by any part of their names; of many, the server finds those that begin so. */
function useNames(place: RepositoryPlace, kind: RefKind, typed: string) {
  const branches = useBranches(place, kind === 'heads');
  const tags = useTags(place, kind === 'tags');
  const list = kind === 'heads' ? branches : tags;
  const isMany = list.hasMore;
  const matching = useMatchingRefs(place, kind, typed, isMany && typed !== '');
  if (isMany && typed !== '')
    return {
      names: (matching.refs ?? []).map(({ name }) => name),
      isLoading: matching.isPending,
      isMany,
    };
  const words = typed.trim().toLowerCase();
  const names = list.rows.map(({ name }) => name).filter((name) => name.toLowerCase().includes(words));
  return { names, isLoading: list.isLoading, isMany };
}
