// The last line of a page that only shows: what comes there, and what does it today.
import '../styles/lists.css';
import type { ReactNode } from 'react';

export function NextNote({ children }: { children: ReactNode }) {
  return <p className="next-note muted t13">{children}</p>;
}
