// A group of states with its name.
import type { ReactNode } from 'react';

export function Sample({
  name,
  children,
  isStack,
}: {
  name: string;
  children: ReactNode;
  isStack?: boolean;
}) {
  return (
    <div className="stack stack--4">
      <h3 className="h4">{name}</h3>
      <div className={isStack ? 'stack' : 'row row--wrap'}>{children}</div>
    </div>
  );
}

export function nothing(): void {
  // The sheet shows states; its buttons do nothing.
}
