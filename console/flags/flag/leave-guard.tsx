// Links that lead away from a flag with a draft ask once. The draft is kept in any case, unless it is discarded.
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { CONSOLE } from '../../api/server.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FLAG_WORDS as WORDS } from './flag-words.ts';

export interface LeaveGuardProps {
  /** Of the changes in the draft. */
  count: number;
  onDiscard: () => void;
}

export function LeaveGuard({ count, onDiscard }: LeaveGuardProps) {
  const [target, setTarget] = useState<string>();
  const hasAsked = useRef(false);
  const [, navigate] = useLocation();
  useEffect(() => {
    const listen = (event: MouseEvent) => {
      const href = hrefOf(event);
      if (href === undefined || hasAsked.current || isSamePage(href)) return;
      event.preventDefault();
      event.stopPropagation();
      hasAsked.current = true;
      setTarget(href);
    };
    // Before the link itself hears of it.
    document.addEventListener('click', listen, { capture: true });
    return () => document.removeEventListener('click', listen, { capture: true });
  }, []);
  if (target === undefined) return null;
  const leave = () => {
    setTarget(undefined);
    navigate(target);
  };
  return (
    <Dialog
      title={WORDS.leave.title(count)}
      text={WORDS.leave.text}
      width={520}
      onClose={() => setTarget(undefined)}
      footer={
        <>
          <Button data-autofocus="" onClick={() => setTarget(undefined)}>
            {WORDS.leave.stay}
          </Button>
          <Button
            tone="danger"
            onClick={() => {
              onDiscard();
              leave();
            }}
          >
            {WORDS.leave.discard}
          </Button>
          <Button tone="primary" onClick={leave}>
            {WORDS.leave.leave}
          </Button>
        </>
      }
    />
  );
}

/** Below the console; undefined for what opens elsewhere. */
function hrefOf(event: MouseEvent): string | undefined {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return undefined;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.origin !== location.origin || (link.target !== '' && link.target !== '_self'))
    return undefined;
  if (!`${link.pathname}/`.startsWith(`${CONSOLE}/`)) return undefined;
  return link.pathname.slice(CONSOLE.length) + link.search;
}

/** Its tabs and environments: the draft is kept while one looks at them. */
function isSamePage(href: string): boolean {
  const own = location.pathname.slice(CONSOLE.length).split('/').slice(0, 4);
  const other = href.split(/[?#]/, 1)[0]!.split('/').slice(0, 4);
  return own.join('/') === other.join('/');
}
