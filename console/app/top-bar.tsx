// The bar above every page: where one is, search, whether the page is live, the account.
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { liveState, onLive } from '../api/live.ts';
import type { Me } from '../api/types/signalbox.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { LiveDot } from '../ui/status.tsx';
import { AccountMenu } from './account-menu.tsx';
import { useCrumbs } from './page-info.ts';
import { WORDS } from './words.ts';

const Switcher = lazy(() => import('../flags/switcher/switcher.tsx'));

/** The pages that are about one project. */
const IN_PROJECT = /^\/(flags|new-flag|segments|environments|compare)\/[^/]/;

interface TopBarProps {
  me: Me | undefined;
  onMenu: () => void;
  onSearch: () => void;
  onApi: () => void;
  onHelp: () => void;
}

export function TopBar({ me, onMenu, onSearch, onApi, onHelp }: TopBarProps) {
  const [location] = useLocation();
  return (
    <header className="top">
      <span className="only-s">
        <Button tone="ghost" icon="menu" label={WORDS.openNavigation} onClick={onMenu} />
      </span>
      {IN_PROJECT.test(location) && (
        <Suspense fallback={<span className="switcher" />}>
          <Switcher />
        </Suspense>
      )}
      <Crumbs />
      <button type="button" className="find" aria-label={WORDS.searchLabel} onClick={onSearch}>
        <Icon name="search" />
        <span>{WORDS.search}</span>
        <kbd>/</kbd>
      </button>
      <Liveness />
      <Button tone="ghost" size="sm" icon="api" label={WORDS.apiDrawer} onClick={onApi} />
      <span className="no-s">
        <Button tone="ghost" size="sm" icon="help" label={WORDS.help} onClick={onHelp} />
      </span>
      <AccountMenu me={me} />
    </header>
  );
}

function Crumbs() {
  const crumbs = useCrumbs();
  return (
    <nav className="crumbs" aria-label={WORDS.breadcrumbs}>
      <ol>
        {crumbs.map(({ label, href, copy }, index) => (
          <li key={`${index} ${label}`}>
            {href === undefined ? (
              <span className="crumb" aria-current={index === crumbs.length - 1 ? 'page' : undefined}>
                {label}
              </span>
            ) : (
              <Link href={href} aria-current={index === crumbs.length - 1 ? 'page' : undefined}>
                {label}
              </Link>
            )}
            {copy !== undefined && <CopyButton text={copy} label={`Copy ${copy}`} />}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Liveness() {
  const { state, since = 0 } = useSyncExternalStore(onLive, liveState);
  const time = new Date(since).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  const words = WORDS.live[state];
  return (
    <span role="status">
      <LiveDot state={state}>{typeof words === 'string' ? words : words(time)}</LiveDot>
    </span>
  );
}
