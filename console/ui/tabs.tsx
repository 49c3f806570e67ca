// Tabs that are links: the address says which one is open.
import { Link } from 'wouter';
import { formatCount } from './format.ts';

export interface TabsProps {
  items: { href: string; label: string; count?: number | undefined; isCurrent: boolean }[];
  label: string;
}

export function Tabs({ items, label }: TabsProps) {
  return (
    <nav className="tabs" aria-label={label}>
      {items.map((item) => (
        <Link key={item.href} href={item.href} aria-current={item.isCurrent ? 'page' : undefined}>
          {item.label}
          {item.count !== undefined && (
            <span className="count">{formatCount(item.count, { isShort: true })}</span>
          )}
        </Link>
      ))}
    </nav>
  );
}
