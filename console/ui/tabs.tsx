// Tabs that are links: the address says which one is open.
import { useLayoutEffect, useRef } from 'react';
import { Link } from 'wouter';
import { formatCount } from './format.ts';

interface TabItem {
  href: string;
  label: string;
  count?: number | undefined;
  /** There are more than were counted. */
  hasMore?: boolean | undefined;
  isCurrent: boolean;
}

export interface TabsProps {
  items: TabItem[];
  label: string;
}

export function Tabs({ items, label }: TabsProps) {
  const nav = useRef<HTMLElement>(null);
  const current = items.find(({ isCurrent }) => isCurrent)?.href;
  // In a narrow window the strip scrolls by itself, and the open one is to be seen.
  useLayoutEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current === null || link === null || link === undefined) return;
    const end = link.offsetLeft + link.offsetWidth - nav.current.offsetLeft;
    nav.current.scrollLeft = Math.max(0, end - nav.current.clientWidth);
  }, [current]);
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {items.map((item) => (
        <Link key={item.href} href={item.href} aria-current={item.isCurrent ? 'page' : undefined}>
          {item.label}
          {item.count !== undefined && (
            <span className="count">
              {formatCount(item.count, { isShort: true })}
              {item.hasMore === true && '+'}
            </span>
          )}
        </Link>
      ))}
    </nav>
  );
}
