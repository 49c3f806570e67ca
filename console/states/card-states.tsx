import { Button, ButtonLink } from '../ui/button.tsx';
import { AttentionList, AttentionRow, Card, Figures, KeyValues } from '../ui/card.tsx';
import { Meter, Sparkline } from '../ui/chart.tsx';
import { Section } from '../ui/page.tsx';
import { CountBadge, Key } from '../ui/status.tsx';
import { Timeline } from '../ui/timeline.tsx';

const values = [6, 4, 3, 3, 7, 11, 15, 17, 16, 18];

export function CardStates() {
  return (
    <>
      <Section title="Failing" badge={<CountBadge value={2} tone="bad" />}>
        <AttentionList label="Failing">
          <AttentionRow
            icon="err"
            tone="bad"
            title={
              <>
                <Key>shop-crawler</Key> failed 14 times since your last visit
              </>
            }
            reason="One cause: page did not load in 30 s · since build 1.2.7"
            action={
              <ButtonLink href="/runs" size="sm">
                See 14 runs
              </ButtonLink>
            }
            menu={<Button tone="ghost" size="sm" icon="snooze" label="Snooze: runs of shop-crawler" />}
          />
          <AttentionRow
            icon="disk"
            tone="warn"
            title="Disk /data has 8 % left"
            reason="31.2 of 390 GiB free · full in ≈ 11 days"
            action={<Button size="sm">See forecast</Button>}
          />
        </AttentionList>
      </Section>
      <Figures
        label="Today"
        items={[
          { label: 'Evaluations', value: '1.84', unit: 'M', chart: <Sparkline values={values} /> },
          { label: 'Runs', value: '412', note: '12 failed', chart: <Sparkline values={values} tone="run" /> },
          {
            label: 'Limit',
            value: '86',
            unit: '%',
            chart: (
              <Meter
                label="Calls this hour"
                value={4310}
                max={5000}
                tone="warn"
                text="4,310 of 5,000 calls"
              />
            ),
          },
        ]}
      />
      <Card
        title="Token"
        icon="key"
        actions={<Button size="sm">Rotate</Button>}
        footer="Made by Ada Lindqvist"
      >
        <KeyValues
          items={[
            ['Scope', 'Read datasets of shop-crawler'],
            ['Expires', '12 January 2027, in 90 days'],
            [
              'Address',
              'https://signalbox.example.com/a-very-long-address-that-has-no-place-to-break/at/all',
            ],
          ]}
        />
      </Card>
      <Card title="Activity">
        <Timeline
          label="Activity"
          items={[
            {
              id: '1',
              by: { name: 'Bob Okafor' },
              content: 'Bob Okafor asked to change checkout-v2 in production',
              comment: 'Conversion held for 48 h, next step.',
              meta: '2 h ago',
            },
            {
              id: '2',
              by: { name: 'ci-deploy', kind: 'machine' },
              content: 'ci-deploy built shop-crawler 1.2.7',
            },
            { id: '3', icon: 'play', tone: 'ok', content: 'Started with build 1.2.7', meta: '12:00:14' },
            { id: '4', icon: 'err', tone: 'bad', content: 'Webhook deploy failed, 503', meta: '12:04:20' },
          ]}
        />
      </Card>
    </>
  );
}
