// The rows that fill the window are drawn first, the others when the browser has nothing better to do.
import { startTransition, useEffect, useState } from 'react';

const ROW_HEIGHT = 44;

export function useFirstRows<Row>(rows: Row[]): Row[] {
  const [isFirst, setFirst] = useState(true);
  const hasRows = rows.length > 0;
  useEffect(() => {
    if (!hasRows || !isFirst) return undefined;
    const timer = setTimeout(() => startTransition(() => setFirst(false)), 0);
    return () => clearTimeout(timer);
  }, [hasRows, isFirst]);
  return isFirst ? rows.slice(0, Math.ceil(window.innerHeight / ROW_HEIGHT)) : rows;
}
