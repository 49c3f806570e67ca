// What needs attention, most urgent first: each row has one action, and can be snoozed.
import { useContext } from 'react';
import type { AttentionItem, SnoozedItem } from '../api/types/signalbox.ts';
import { hasPage } from '../app/pages.tsx';
import { AttentionList, AttentionRow, type TileTone } from '../ui/card.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { formatAbsolute } from '../ui/format.ts';
import type { IconName } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { Section } from '../ui/page.tsx';
import { EmptyState } from '../ui/states.tsx';
import { CountBadge } from '../ui/status.tsx';
import { Time, TimeZoneContext } from '../ui/time.tsx';
import { snooze, URGENCIES, wake, type Urgency } from './queries.ts';
import { WORDS } from './words.ts';

const GLYPHS: Readonly<Record<AttentionItem['kind'], [IconName, TileTone]>> = {
  approval: ['shield', 'acc'],
  review: ['pull', 'acc'],
  'failed-runs': ['err', 'bad'],
  'expired-locks': ['lock', 'bad'],
  webhook: ['hook', 'bad'],
  'rate-limit': ['gauge', 'warn'],
  paused: ['hour', 'warn'],
  'late-work': ['hour', 'bad'],
  disk: ['disk', 'warn'],
  'scheduled-change': ['cal', 'acc'],
  token: ['key', 'warn'],
  version: ['history', 'warn'],
  'removable-flags': ['flag', 'warn'],
};

const COUNT_TONES = { waiting: 'acc', failing: 'bad', coming: undefined } as const;

export function AttentionGroups({ items }: { items: readonly AttentionItem[] }) {
  if (items.length === 0) {
    return <EmptyState icon="check" tone="ok" title={WORDS.clear.title} text={WORDS.clear.text} />;
  }
  return (
    <>
      {URGENCIES.map((urgency) => (
        <AttentionGroup
          key={urgency}
          urgency={urgency}
          items={items.filter((item) => item.urgency === urgency)}
        />
      ))}
    </>
  );
}

function AttentionGroup({ urgency, items }: { urgency: Urgency; items: readonly AttentionItem[] }) {
  if (items.length === 0) return null;
  return (
    <Section
      title={WORDS.groups[urgency]}
      badge={<CountBadge value={items.length} tone={COUNT_TONES[urgency]} />}
    >
      <AttentionList label={WORDS.groups[urgency]}>
        {items.map((item) => (
          <AttentionEntry key={item.id} item={item} />
        ))}
      </AttentionList>
    </Section>
  );
}

/** What the reader has put off, folded away, with a way back. */
export function Snoozed({ items }: { items: readonly SnoozedItem[] }) {
  return (
    <details className="snoozed">
      <summary className="muted t13">{WORDS.snooze.snoozed(items.length)}</summary>
      <AttentionList label={WORDS.snooze.snoozed(items.length)}>
        {items.map((item) => (
          <AttentionRow
            key={item.id}
            icon="snooze"
            title={sentenceOf(item)}
            reason={
              <>
                {WORDS.snooze.until} <Time at={item.until} mode="absolute" />
              </>
            }
            action={
              <Button size="sm" onClick={() => void wake(item.id)}>
                {WORDS.snooze.wake}
              </Button>
            }
          />
        ))}
      </AttentionList>
    </details>
  );
}

function sentenceOf({ kind, title, count = 1 }: AttentionItem): string {
  return WORDS.sentences[kind](title, count);
}

function AttentionEntry({ item }: { item: AttentionItem }) {
  const { kind, reason, at, action } = item;
  const href = hrefOf(action.path);
  const [icon, tone] = GLYPHS[kind];
  return (
    <AttentionRow
      icon={icon}
      tone={tone}
      title={sentenceOf(item)}
      reason={
        <>
          {reason.replace(/\.$/, '')}
          {reason !== '' && ' · '}
          <Time at={at} />
        </>
      }
      action={
        // A link never leads to a page that is not there.
        hasPage(href) && (
          <ButtonLink size="sm" href={href}>
            {action.label}
          </ButtonLink>
        )
      }
      menu={<SnoozeMenu item={item} />}
    />
  );
}

/** Below the console. */
function hrefOf(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}

const HOUR = 60 * 60_000;
const MORNING = 8;

function SnoozeMenu({ item }: { item: AttentionItem }) {
  const timeZone = useContext(TimeZoneContext);
  const until = (time: number) => () => {
    void snooze(item, time, formatAbsolute(time, Date.now(), timeZone));
  };
  return (
    <Menu
      trigger={<Button tone="ghost" size="sm" icon="snooze" label={WORDS.snooze.label(item.title)} />}
      items={[
        { label: WORDS.snooze.hour, onSelect: () => until(Date.now() + HOUR)() },
        { label: WORDS.snooze.tomorrow, onSelect: () => until(tomorrow())() },
        { label: WORDS.snooze.week, onSelect: () => until(Date.now() + 7 * 24 * HOUR)() },
      ]}
    />
  );
}

/** By the clock of this machine, where its reader wakes up. */
function tomorrow(): number {
  const time = new Date();
  time.setDate(time.getDate() + 1);
  return time.setHours(MORNING, 0, 0, 0);
}
