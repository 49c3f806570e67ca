// The first run: one call of each product to copy and run; each card listens, and turns green when its call arrives.
import '../styles/first-run.css';
import { useEffect, useRef, useState } from 'react';
import { DEMO } from '../app/demo-words.ts';
import { DemoControl, useDemo } from '../app/demo.tsx';
import { useSayDraft } from '../app/draft-call.ts';
import { useMay, useMe } from '../app/me.ts';
import { announce } from '../ui/announce.ts';
import { Banner } from '../ui/banner.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card, Tile } from '../ui/card.tsx';
import { classNames } from '../ui/class-names.ts';
import { CodeBlock, CommandTabs } from '../ui/code-block.tsx';
import type { IconName } from '../ui/icon.tsx';
import { PageHead } from '../ui/page.tsx';
import { ErrorState } from '../ui/states.tsx';
import { LiveDot } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { addressOf } from '../api/call.ts';
import { AttentionGroups } from './attention.tsx';
import {
  CARDS,
  CLIENTS,
  commandOf,
  firstCallOf,
  type CardName,
  type CommandClient,
} from './first-run-commands.ts';
import { FIRST_RUN } from './first-run-words.ts';
import { useAttention } from './queries.ts';
import { tokenCall, useArrivals, useFirstProject, useFirstTokens, type Arrival } from './use-first-run.ts';

export function FirstRun({ onDismiss }: { onDismiss: () => void }) {
  const { data: me } = useMe();
  const project = useFirstProject();
  const { tokens, error, isBusy, make } = useFirstTokens(project);
  const arrivals = useArrivals();
  const [client, setClient] = useState<CommandClient>('curl');
  const hasTokens = tokens.flags !== undefined;
  const isDone = CARDS.every((card) => arrivals[card] !== undefined);
  useSayDraft(hasTokens || me === undefined ? undefined : tokenCall('flags', project, me.server.now));
  return (
    <main id="main" className="page page--mid" tabIndex={-1}>
      <PageHead
        title={FIRST_RUN.title}
        meta={FIRST_RUN.meta}
        actions={
          <>
            <Button
              icon={hasTokens ? 'check' : 'key'}
              tone={hasTokens ? 'quiet' : 'primary'}
              isBusy={isBusy}
              disabledReason={hasTokens ? FIRST_RUN.scope(project) : undefined}
              onClick={make}
            >
              {hasTokens ? FIRST_RUN.tokensIn : FIRST_RUN.makeTokens}
            </Button>
            <Button tone="ghost" onClick={onDismiss}>
              {FIRST_RUN.dismiss}
            </Button>
          </>
        }
      />
      <div className="stack stack--16">
        {error !== undefined && <ErrorState title={FIRST_RUN.tokensFailed} error={error} onRetry={make} />}
        {isDone ? (
          <Banner
            icon="ok"
            action={
              <Button size="sm" onClick={onDismiss}>
                {FIRST_RUN.toHome}
              </Button>
            }
          >
            {FIRST_RUN.allDone}
          </Banner>
        ) : (
          <Banner tone="neutral" icon="key">
            {hasTokens ? FIRST_RUN.scope(project) : FIRST_RUN.noTokens}
          </Banner>
        )}
        <div className="first">
          {CARDS.map((card) => (
            <FirstCard
              key={card}
              card={card}
              project={project}
              token={tokens[card]}
              arrival={arrivals[card]}
              client={client}
              onClient={setClient}
            />
          ))}
        </div>
      </div>
      <NextSteps />
      <Attention />
    </main>
  );
}

/** What waits is not hidden by the first run: the demo, or an import, may have brought something. */
function Attention() {
  const { data } = useAttention();
  if (data === undefined || data.items.length === 0) return null;
  return (
    <div className="stack stack--24 first__attention">
      <AttentionGroups items={data.items} />
    </div>
  );
}

const ICONS: Readonly<Record<CardName, IconName>> = { flags: 'flag', actors: 'actor', host: 'code' };

interface FirstCardProps {
  card: CardName;
  project: string;
  token: string | undefined;
  arrival: Arrival | undefined;
  client: CommandClient;
  onClient: (client: CommandClient) => void;
}

function FirstCard({ card, project, token, arrival, client, onClient }: FirstCardProps) {
  const { title, text } = FIRST_RUN.cards[card];
  const { call, operation } = firstCallOf(card, project);
  const program = useMe().data?.server.program;
  const wasDone = useRef(arrival !== undefined);
  useEffect(() => {
    if (arrival === undefined || wasDone.current) return;
    wasDone.current = true;
    announce(FIRST_RUN.announced(title));
  }, [arrival, title]);
  return (
    <Card
      className={arrival && 'is-done'}
      label={title}
      title={title}
      icon={arrival === undefined ? ICONS[card] : 'ok'}
      footer={
        arrival === undefined ? (
          <LiveDot state="connecting">{FIRST_RUN.listening}</LiveDot>
        ) : (
          <>
            <span className="ok w6 nw">
              {FIRST_RUN.received} <Time at={arrival.at} />
            </span>
            <code className="cut">
              {arrival.operation === undefined || arrival.operation === operation
                ? `GET ${addressOf(call)}`
                : arrival.operation}
            </code>
          </>
        )
      }
    >
      <p className="t13 muted">{text(project)}</p>
      <CommandTabs
        label={FIRST_RUN.client(title)}
        chosen={client}
        onChoose={(id) => onClient(id as CommandClient)}
        items={CLIENTS.map((one) => ({
          id: one,
          label: FIRST_RUN.clients[one],
          text: commandOf(call, one, { token, program }),
        }))}
      />
    </Card>
  );
}

function NextSteps() {
  const program = useMe().data?.server.program ?? 'signalbox';
  const may = useMay([{ action: 'createMember', resource: 'member/*' }]);
  const demo = useDemo();
  const hasDemo = demo?.data?.state === 'present';
  return (
    <section aria-label={FIRST_RUN.next.title} className="next">
      {demo !== undefined && (
        <NextStep
          icon="bolt"
          title={hasDemo ? DEMO.presentTitle : DEMO.title}
          text={hasDemo ? DEMO.presentText : DEMO.text}
          isWide
        >
          <DemoControl reading={demo} />
        </NextStep>
      )}
      <NextStep icon="dl" title={FIRST_RUN.next.actors} text={FIRST_RUN.next.actorsText}>
        <CodeBlock text={`${program} import actors --from-url https://api.example.com --dry-run`} />
      </NextStep>
      <NextStep icon="dl" title={FIRST_RUN.next.repository} text={FIRST_RUN.next.repositoryText}>
        <CodeBlock text={`${program} import repo https://code.example.org/ann/shop.git`} />
      </NextStep>
      {may?.[0] === true && (
        <NextStep icon="users" title={FIRST_RUN.next.invite} text={FIRST_RUN.next.inviteText}>
          <ButtonLink size="sm" href="/account/members?invite=1">
            {FIRST_RUN.next.inviteAction}
          </ButtonLink>
        </NextStep>
      )}
    </section>
  );
}

interface NextStepProps {
  icon: IconName;
  title: string;
  text: string;
  isWide?: boolean;
  children: React.ReactNode;
}

function NextStep({ icon, title, text, isWide = false, children }: NextStepProps) {
  return (
    <div className={classNames('next__i', isWide && 'next__i--wide')}>
      <Tile icon={icon} />
      <div className="stack stack--8">
        <div>
          <h2>{title}</h2>
          <p className="t12 muted">{text}</p>
        </div>
        {children}
      </div>
    </div>
  );
}
