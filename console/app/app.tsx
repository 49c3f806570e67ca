// The frame around every page, and what all pages share: the cache, the session, keys, toasts.
import { QueryClientProvider } from '@tanstack/react-query';
import {
  lazy,
  memo,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { Route, Router, Switch, useLocation } from 'wouter';
import { queries } from '../api/read.ts';
import { CONSOLE } from '../api/server.ts';
import { onSession, sessionState } from '../api/session.ts';
import { forgetCalls } from '../api/call-log.ts';
import { Skeleton } from '../ui/states.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { setSingleKeys, useKeys } from '../ui/keys.ts';
import { neighbourOf } from '../ui/list-neighbours.ts';
import { TimeZoneContext } from '../ui/time.tsx';
import { useMe, usePreferences } from './me.ts';
import { NotFoundPage } from './not-found-page.tsx';
import { PAGES } from './pages.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { Palette } from './palette.tsx';
import { Rail } from './rail.tsx';
import { ReleaseBanner } from './release-banner.tsx';
import { useGoKeys } from './go-keys.ts';
import { useScrollMemory } from './scroll.ts';
import { showTheme } from './theme.ts';
import { TopBar } from './top-bar.tsx';
import { WORDS } from './words.ts';

const ApiDrawer = lazy(() => import('./api-drawer.tsx'));
const KeysDialog = lazy(() => import('./keys-dialog.tsx'));
const SessionDialog = lazy(() => import('./session-dialog.tsx'));

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Router base={CONSOLE}>
        <Frame />
      </Router>
    </QueryClientProvider>
  );
}

/** What lies over the page. */
type Overlay = 'palette' | 'api' | 'keys' | 'rail' | undefined;

function Frame() {
  const [location, navigate] = useLocation();
  const [opened, setOpened] = useState<{ what: Overlay; at: string }>();
  // What was opened over a page goes with it. The calls of the next page are as interesting as those of the last.
  const overlay = opened?.what === 'api' || opened?.at === location ? opened.what : undefined;
  const setOverlay = useCallback((what: Overlay) => setOpened({ what, at: location }), [location]);
  const [palette, setPalette] = useState('');
  const preferences = usePreferences();
  const { data: me } = useMe();
  const session = useSyncExternalStore(onSession, sessionState);
  useScrollMemory();
  // Before the page makes its first calls. Those that came before the first drawing are of that page.
  const shown = useRef(location);
  useLayoutEffect(() => {
    if (shown.current !== location) forgetCalls();
    shown.current = location;
  }, [location]);
  useEffect(() => {
    if (preferences.theme !== undefined) showTheme(preferences.theme);
    setSingleKeys(preferences.hasKeys !== false);
  }, [preferences.theme, preferences.hasKeys]);
  const openPalette = useCallback(
    (text = '') => {
      setPalette(text);
      setOverlay('palette');
    },
    [setOverlay],
  );
  // Back leads to the list, whatever was looked at meanwhile.
  const walk = (step: 1 | -1) => {
    const next = neighbourOf(location + window.location.search, step);
    if (next !== undefined) navigate(next, { replace: true });
    return next !== undefined;
  };
  useKeys({
    '/': () => focusFilter() || openPalette(),
    '?': () => setOverlay('keys'),
    a: () => setOverlay(overlay === 'api' ? undefined : 'api'),
    '[': () => walk(-1),
    ']': () => walk(1),
  });
  useGoKeys(navigate);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      event.preventDefault();
      openPalette();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  });
  const isNarrow = preferences.isRailNarrow === true;
  return (
    <TimeZoneContext value={preferences.timeZone}>
      <a className="skip" href={`${CONSOLE}${location === '/' ? '' : location}#main`} onClick={focusMain}>
        {WORDS.skip}
      </a>
      <div className="app" data-rail={isNarrow ? '56' : undefined}>
        <Rail isNarrow={isNarrow} isOpen={overlay === 'rail'} onClose={() => setOverlay(undefined)} me={me} />
        <div>
          <TopBar
            me={me}
            onMenu={() => setOverlay('rail')}
            onSearch={() => openPalette()}
            onApi={() => setOverlay('api')}
            onHelp={() => setOverlay('keys')}
          />
          <ReleaseBanner release={me?.server.release} />
          <Pages location={location} onSearch={openPalette} />
        </div>
      </div>
      {overlay === 'palette' && (
        <Palette
          start={palette}
          onClose={() => setOverlay(undefined)}
          showCalls={() => setOverlay('api')}
          showKeys={() => setOverlay('keys')}
        />
      )}
      <Suspense>
        {overlay === 'api' && <ApiDrawer onClose={() => setOverlay(undefined)} />}
        {overlay === 'keys' && <KeysDialog onClose={() => setOverlay(undefined)} />}
        {session !== 'open' && <SessionDialog state={session} name={me?.member.username ?? ''} />}
      </Suspense>
      <Toasts />
    </TimeZoneContext>
  );
}

interface PagesProps {
  location: string;
  onSearch: (text: string) => void;
}

/** Drawn anew by itself alone: what is opened over a page costs as little over a long list as over a short one. */
const Pages = memo(function Pages({ location, onSearch }: PagesProps) {
  return (
    <PageBoundary location={location}>
      <Suspense fallback={<PageSkeleton />}>
        <Switch>
          {PAGES.map(({ path, Page }) => (
            <Route key={path} path={path}>
              <Page />
            </Route>
          ))}
          <Route>
            <NotFoundPage onSearch={onSearch} />
          </Route>
        </Switch>
      </Suspense>
    </PageBoundary>
  );
});

function PageSkeleton() {
  return (
    <main id="main" className="page" tabIndex={-1}>
      <Skeleton rows={8} />
    </main>
  );
}

/** The filter of the page, where it has one. */
function focusFilter(): boolean {
  const field = document.querySelector<HTMLInputElement>('main [data-filter]');
  field?.focus();
  field?.select();
  return field !== null;
}

function focusMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
