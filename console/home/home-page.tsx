// Home: what needs attention, figures of today, and the latest changes; before anything was used, the first run.
import { useMay } from '../app/me.ts';
import { usePageInfo } from '../app/page-info.ts';
import { Button } from '../ui/button.tsx';
import { cssVars } from '../ui/css-vars.ts';
import { Menu } from '../ui/menu.tsx';
import { PageHead } from '../ui/page.tsx';
import { ErrorState, Skeleton } from '../ui/states.tsx';
import { ActivityFeed } from './activity-feed.tsx';
import { AttentionGroups, Snoozed } from './attention.tsx';
import { FirstRun } from './first-run.tsx';
import { Pinned } from './pinned.tsx';
import { useAttention } from './queries.ts';
import { TodayFigures } from './today.tsx';
import { useFirstRun } from './use-first-run.ts';
import { WORDS } from './words.ts';

export default function HomePage() {
  usePageInfo([{ label: WORDS.home }]);
  const firstRun = useFirstRun();
  if (firstRun === undefined) {
    return (
      <main id="main" className="page" tabIndex={-1}>
        <Skeleton rows={8} />
      </main>
    );
  }
  return firstRun.isOn ? <FirstRun onDismiss={firstRun.dismiss} /> : <Home />;
}

const SIDE = cssVars({ side: '400px' });

function Home() {
  const attention = useAttention();
  const { data, error, isPending } = attention;
  const items = data?.items ?? [];
  const own = items.filter(({ urgency }) => urgency === 'waiting').length;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={WORDS.title}
        meta={
          data === undefined
            ? undefined
            : items.length === 0
              ? WORDS.nothing
              : WORDS.waiting(items.length, own)
        }
        actions={<NewMenu />}
      />
      <div className="cols" style={SIDE}>
        <div className="stack stack--24">
          {isPending && <Skeleton rows={6} />}
          {error !== null && data === undefined && (
            <ErrorState error={error} onRetry={() => void attention.refetch()} />
          )}
          {data !== undefined && <AttentionGroups items={items} />}
          {data !== undefined && data.snoozed.length > 0 && <Snoozed items={data.snoozed} />}
        </div>
        <div className="stack stack--24">
          <Pinned />
          <TodayFigures />
          <ActivityFeed />
        </div>
      </div>
    </main>
  );
}

function NewMenu() {
  const may = useMay([
    { action: 'createAccessToken', resource: 'member/me:token/*' },
    { action: 'createMember', resource: 'member/*' },
  ]);
  const items = [
    { label: WORDS.newToken, icon: 'key', href: '/account/tokens?new=1' },
    { label: WORDS.invite, icon: 'user', href: '/account/members?invite=1' },
  ] as const;
  const allowed = items.filter((_, index) => may?.[index] === true);
  if (allowed.length === 0) return null;
  return (
    <Menu
      trigger={
        <Button icon="plus" hasCaret>
          {WORDS.new}
        </Button>
      }
      items={[...allowed, { label: WORDS.firstRun, icon: 'bolt', href: '/?first=1', hasLine: true }]}
    />
  );
}
