// The navigation: a rail at the left, narrow if one likes, and a sheet on small screens.
import { memo } from 'react';
import { Link, useLocation } from 'wouter';
import { useRead } from '../api/read.ts';
import { ROOT } from '../api/server.ts';
import type { Me } from '../api/types/signalbox.ts';
import { Button } from '../ui/button.tsx';
import { useOpenDialog } from '../ui/dialog.tsx';
import { Icon, Mark } from '../ui/icon.tsx';
import { CountBadge } from '../ui/status.tsx';
import { savePreferences, useMe } from './me.ts';
import { NAVIGATION, preload, type NavItem, type NavSection } from './pages.tsx';
import { switchTheme } from './theme.ts';
import { NAV, WORDS } from './words.ts';

interface RailProps {
  isNarrow: boolean;
  /** On small screens. */
  isOpen: boolean;
  onClose: () => void;
  me: Me | undefined;
}

export function Rail({ isNarrow, isOpen, onClose, me }: RailProps) {
  return (
    <>
      <aside className="rail" aria-label={WORDS.navigation}>
        <div className="rail__brand">
          <Link href="/" aria-label={WORDS.product}>
            <Mark />
            <span className="lbl">{WORDS.product}</span>
          </Link>
          <span className="push" />
          <Button
            tone="ghost"
            size="sm"
            icon="rail"
            label={isNarrow ? WORDS.expand : WORDS.collapse}
            onClick={() => savePreferences({ isRailNarrow: isNarrow ? null : true })}
          />
        </div>
        <Navigation />
        <div className="rail__foot">
          <span>{me?.server.release}</span>
          <Button tone="ghost" size="xs" icon="moon" label={WORDS.theme} onClick={switchTheme} />
        </div>
      </aside>
      {isOpen && <Sheet onClose={onClose} />}
    </>
  );
}

/** Goes when a page of it is opened: the frame closes what lies over it then. */
function Sheet({ onClose }: { onClose: () => void }) {
  const dialog = useOpenDialog(onClose);
  return (
    <dialog ref={dialog} className="sheet" aria-label={WORDS.navigation}>
      <div className="rail__brand">
        <Mark />
        {WORDS.product}
        <span className="push" />
        <Button tone="ghost" icon="x" label={WORDS.closeNavigation} onClick={onClose} />
      </div>
      <Navigation />
    </dialog>
  );
}

/** What is opened over the page changes nothing here. */
const Navigation = memo(function Navigation() {
  const [location] = useLocation();
  return (
    <nav className="nav" aria-label={WORDS.main}>
      {NAVIGATION.map((section) => (
        <Section key={section.label} section={section} location={location} />
      ))}
      <a href={`${ROOT}/docs`}>
        <Icon name="docs" />
        <span className="lbl">{NAV.docs}</span>
      </a>
    </nav>
  );
});

function Section({ section, location }: { section: NavSection; location: string }) {
  const { label, icon, href, items = [] } = section;
  if (href !== undefined)
    return (
      <Link href={href} aria-current={location === href ? 'page' : undefined}>
        <Icon name={icon} />
        <span className="lbl">{label}</span>
      </Link>
    );
  const isHere = items.some((item) => isCurrent(item, location));
  return (
    <details open={isHere || undefined} key={String(isHere)}>
      <summary>
        <Icon name={icon} />
        <span className="lbl">{label}</span>
      </summary>
      <ul>
        {items.map((item) => (
          <li key={item.href}>
            <Link
              href={item.href}
              aria-current={isCurrent(item, location) ? 'page' : undefined}
              onPointerEnter={() => preload(item.href)}
            >
              {item.label}
              {item.waiting === 'approvals' && <WaitingApprovals />}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}

function WaitingApprovals() {
  const count = useWaitingApprovals();
  if (count === 0) return null;
  return (
    <>
      <span className="push" aria-hidden="true">
        <CountBadge value={count} tone="acc" />
      </span>
      <span className="vh">{WORDS.waiting(count)}</span>
    </>
  );
}

/** Requests that ask for them and have no verdict yet; none while it is not known. */
function useWaitingApprovals(): number {
  const { data: me } = useMe();
  const id = JSON.stringify(me?.member.id ?? '');
  const filter = `notifyMemberIds anyOf [${id}],status anyOf ["pending"],reviewStatus anyOf ["pending"]`;
  const { data } = useRead<{ totalCount: number }>(
    { call: { api: 'flags', path: '/approval-requests', query: { limit: 1, filter } }, topics: ['flag'] },
    { isEnabled: me !== undefined },
  );
  return data?.totalCount ?? 0;
}

function isCurrent({ href, also = [] }: NavItem, location: string): boolean {
  return [href, ...also].some((one) => location === one || location.startsWith(`${one}/`));
}
