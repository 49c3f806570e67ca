// The hits of a search by kind. `j` and `k` move over all of them, Enter opens the one with the focus.
import '../styles/search.css';
import { useRef } from 'react';
import { Link } from 'wouter';
import type { SearchItem } from '../api/types/signalbox.ts';
import { hasPage, preload } from '../app/pages.tsx';
import { docsAddressOf, type HitGroup } from '../app/search.ts';
import { MarkedText, wordsOf } from '../lib/mark-words.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { useKeys } from '../ui/keys.ts';
import { Section } from '../ui/page.tsx';
import { Badge, CountBadge } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { SEARCH } from './search-words.ts';

/** Of each kind, as many as the API gives. */
export const MOST_HITS = 20;

export function HitGroups({ groups, text }: { groups: readonly HitGroup[]; text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const move = (step: number) => {
    const links = [...(box.current?.querySelectorAll<HTMLElement>('.hit__t') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    links[at === -1 ? 0 : Math.max(0, Math.min(at + step, links.length - 1))]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  const words = wordsOf(text);
  return (
    <div ref={box} className="stack stack--24" data-has-keys="">
      {groups.map(({ kind, label, icon, hits }) => (
        <Section key={kind} title={label} badge={<CountBadge value={hits.length} />}>
          <ul className="hits card" aria-label={label}>
            {hits.map((hit) => (
              <Hit key={hit.id} hit={hit} icon={icon} words={words} />
            ))}
          </ul>
          {hits.length >= MOST_HITS && <p className="t12 muted hits__m">{SEARCH.more(label, hits.length)}</p>}
        </Section>
      ))}
    </div>
  );
}

interface HitProps {
  hit: SearchItem;
  icon: IconName;
  words: readonly string[];
}

function Hit({ hit, icon, words }: HitProps) {
  const { title, detail, path, at, isExact } = hit;
  const docs = docsAddressOf(path);
  const href = `/${path}`;
  const marked = <MarkedText text={title} words={words} />;
  return (
    <li className="hit">
      <Icon name={icon} className="muted" />
      <div className="grow">
        <p className="w5">
          {docs !== undefined ? (
            <a href={docs} className="hit__t" target="_blank" rel="noreferrer">
              {marked}
            </a>
          ) : hasPage(href) ? (
            <Link href={href} className="hit__t" onPointerEnter={() => preload(href)}>
              {marked}
            </Link>
          ) : (
            <span title={SEARCH.noPage}>{marked}</span>
          )}
        </p>
        <p className="t12 muted">
          <MarkedText text={detail} words={words} />
        </p>
      </div>
      {isExact === true && <Badge tone="acc">{SEARCH.exact}</Badge>}
      {at !== undefined && (
        <span className="hit__at t12 muted">
          <Time at={at} />
        </span>
      )}
    </li>
  );
}
