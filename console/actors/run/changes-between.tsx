// What people and tokens have changed between two moments, in all products: of a failed run, what may have been its cause.
import { useRead } from '../../api/read.ts';
import type { Activity } from '../../api/types/signalbox.ts';
import { useMe } from '../../app/me.ts';
import { timelineItemOf } from '../../lib/activity.tsx';
import { Card } from '../../ui/card.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Timeline } from '../../ui/timeline.tsx';
import { COMPARE_WORDS } from './compare-words.ts';

/** The newest of them; more stand in the audit log. */
const MOST = 100;
const SHOWN = 20;
/** What runs themselves do is no change of what they depend on. */
const OWN_WORK = /^(?:actor-run|dataset|key-value-store|request-queue)\//;

export interface ChangesBetweenProps {
  from: number;
  to: number;
}

export function ChangesBetween({ from, to }: ChangesBetweenProps) {
  const [after, before] = from < to ? [from, to] : [to, from];
  const { data, error } = useRead<{ items: Activity[] }>({
    call: { api: 'signalbox', path: '/activity', query: { after, before, limit: MOST } },
  });
  const { data: me } = useMe();
  const found = data?.items.filter(({ resource }) => !OWN_WORK.test(resource)) ?? [];
  return (
    <Section title={COMPARE_WORDS.changes}>
      {data === undefined && error === null ? (
        <Skeleton lines={3} />
      ) : error !== null ? (
        <p className="muted t13">{error.status === 403 ? COMPARE_WORDS.noAudit : error.message}</p>
      ) : found.length === 0 ? (
        <p className="muted t13">{COMPARE_WORDS.noChanges}</p>
      ) : (
        <Card
          footer={
            <p className="t13 muted">
              {COMPARE_WORDS.changesText}{' '}
              <TextLink href={`/account/audit?after=${after}&before=${before}`}>
                {COMPARE_WORDS.allChanges}
              </TextLink>
            </p>
          }
        >
          <Timeline
            label={COMPARE_WORDS.changes}
            items={found.slice(0, SHOWN).map((entry) => timelineItemOf(entry, me?.member.id))}
          />
        </Card>
      )}
    </Section>
  );
}
